import { userLengths } from '@patchbay/contract/rules/lengths'
import { useFormContext } from 'react-hook-form'
import { TextField } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { CopyField } from '../../../ui/sid.tsx'
import type { UserValues } from './user-form.ts'

/** What a user is called. */
export const DetailsSection = ({ user_sid }: { user_sid?: string }) => {
  const { register, formState } = useFormContext<UserValues>()
  const { errors } = formState
  return (
    <FormSection title="Details" description="The name to sign in with, and where mail goes.">
      {user_sid !== undefined && <CopyField label="User SID" value={user_sid} />}
      <TextField
        label="User name"
        required
        maxLength={userLengths.name}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.name?.message}
        {...register('name')}
      />
      <TextField
        label="User email"
        type="email"
        required
        maxLength={userLengths.email}
        autoComplete="off"
        spellCheck={false}
        error={errors.email?.message}
        {...register('email')}
      />
    </FormSection>
  )
}

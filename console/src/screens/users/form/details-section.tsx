import { userLengths } from '@patchbay/contract/users/record'
import { useFields } from '../../../form/use-fields.ts'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyField } from '../../../ui/format/sid.tsx'
import type { UserValues } from './user-form.ts'

/** User name and email address. */
export const DetailsSection = ({ user_sid, asksPassword }: { user_sid?: string; asksPassword?: boolean }) => {
  const field = useFields<UserValues>()
  return (
    <FormSection title="Details" description="Sign-in name and email address.">
      {user_sid !== undefined && <CopyField label="User SID" value={user_sid} />}
      <FieldRow>
        <TextField
          label="User name"
          required
          maxLength={userLengths.name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('name')}
        />
        <TextField
          label="User email"
          type="email"
          required
          maxLength={userLengths.email}
          autoComplete="off"
          spellCheck={false}
          {...field('email')}
        />
      </FieldRow>
      {asksPassword && (
        <FieldRow>
          <PasswordField
            label="Current password"
            hint="Required to change the address, because password reset links are sent there."
            required
            autoComplete="current-password"
            {...field('old_password')}
          />
        </FieldRow>
      )}
    </FormSection>
  )
}

import type { PasswordPolicy } from '@patchbay/contract/identity/passwords'
import { useFields } from '../../../form/use-fields.ts'
import { useFormContext, useWatch } from 'react-hook-form'
import { CheckboxField } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { NewPasswordField } from '../../../ui/new-password-field.tsx'
import type { UserValues } from './user-form.ts'

/** Temporary password of a user, and whether the user must change it at the next sign-in. */
export const PasswordSection = ({ isNew, policy }: { isNew: boolean; policy: PasswordPolicy }) => {
  const field = useFields<UserValues>()
  const { control } = useFormContext<UserValues>()
  const typed = useWatch({ control, name: 'initial_password' })
  return (
    <FormSection
      title="Password"
      description={
        isNew
          ? 'Give this password to the user. Patchbay sends no email.'
          : 'Leave it empty to keep the current password. A new password ends the user’s sessions.'
      }
    >
      <NewPasswordField
        label="Temporary password"
        required={isNew}
        policy={policy}
        typed={typed}
        {...field('initial_password')}
      />
      <CheckboxField
        label="Force change of password"
        hint="The user must choose a new password at the next sign-in."
        {...field('force_change')}
      />
    </FormSection>
  )
}

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
          ? 'Tell the user this password yourself; no mail is sent.'
          : 'Leave it empty to keep the present one. A new one signs the user out everywhere.'
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
        hint="The next sign-in asks for a password of the user’s own before anything else."
        {...field('force_change')}
      />
    </FormSection>
  )
}

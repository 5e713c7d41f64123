import { useFormContext } from 'react-hook-form'
import { CheckboxField } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { UserValues } from './user-form.ts'

/** Settings that control whether a user can sign in and make changes. */
export const AccessSection = () => {
  const { register } = useFormContext<UserValues>()
  return (
    <FormSection title="Access" description="Both count from the user’s next request on.">
      <CheckboxField
        label="User is active"
        hint="Who is not active cannot sign in, and is signed out at once."
        {...register('is_active')}
      />
      <CheckboxField
        label="View-only User"
        hint="Sees all that the scope shows, and changes nothing."
        {...register('is_view_only')}
      />
    </FormSection>
  )
}

import { useFormContext } from 'react-hook-form'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import type { UserValues } from './user-form.ts'

/** Settings that control whether a user can sign in and make changes. */
export const AccessSection = () => {
  const { register } = useFormContext<UserValues>()
  return (
    <FormSection title="Access" description="Changes take effect with the user’s next request.">
      <FieldRow>
        <CheckboxField
          label="User is active"
          hint="Inactive users can’t sign in. Deactivating a user ends their sessions."
          {...register('is_active')}
        />
        <CheckboxField
          label="View-only User"
          hint="Can see everything in the scope but can’t change it."
          {...register('is_view_only')}
        />
      </FieldRow>
    </FormSection>
  )
}

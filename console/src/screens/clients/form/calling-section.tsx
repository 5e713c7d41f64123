import { useFormContext } from 'react-hook-form'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import type { ClientSettings } from './client-form.ts'

/** Settings that control whether a device can register and what it can call directly. */
export const CallingSection = () => {
  const { register } = useFormContext<ClientSettings>()
  return (
    <FormSection title="Permissions" description="Direct calls bypass the account’s application for SIP device calls.">
      <FieldRow>
        <CheckboxField
          label="Active"
          hint="Devices of an inactive client can’t register or call."
          {...register('is_active')}
        />
        <CheckboxField
          label="Allow direct calling to applications"
          hint="The device can call applications of the account."
          {...register('allow_direct_app_calling')}
        />
        <CheckboxField
          label="Allow direct calling to queues"
          hint="The device can take calls from queues."
          {...register('allow_direct_queue_calling')}
        />
        <CheckboxField
          label="Allow direct calling to users"
          hint="The device can call other SIP clients of the account, even if the account has no application for device calls."
          {...register('allow_direct_user_calling')}
        />
      </FieldRow>
    </FormSection>
  )
}

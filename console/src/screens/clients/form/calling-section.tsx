import { useFormContext } from 'react-hook-form'
import { CheckboxField } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { ClientSettings } from './client-form.ts'

/** Settings that control whether a device can register and what it can call directly. */
export const CallingSection = () => {
  const { register } = useFormContext<ClientSettings>()
  return (
    <FormSection
      title="Permissions"
      description="Direct calls do not go to the account’s application for SIP device calls: the device reaches what it dials."
    >
      <CheckboxField
        label="Active"
        hint="Devices of an inactive client can neither register nor call."
        {...register('is_active')}
      />
      <CheckboxField
        label="Allow direct calling to applications"
        hint="The device may call an application of the account."
        {...register('allow_direct_app_calling')}
      />
      <CheckboxField
        label="Allow direct calling to queues"
        hint="The device may take calls from a queue."
        {...register('allow_direct_queue_calling')}
      />
      <CheckboxField
        label="Allow direct calling to users"
        hint="The device may call other SIP clients of the account, also where it has no application for device calls."
        {...register('allow_direct_user_calling')}
      />
    </FormSection>
  )
}

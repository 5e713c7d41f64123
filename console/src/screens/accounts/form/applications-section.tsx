import { useController } from 'react-hook-form'
import { ApplicationField } from '../../../fields/application-field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { AccountValues } from './account-form.ts'

/** Selects the applications for SIP device calls and SIPREC calls. */
export const ApplicationsSection = ({ account_sid }: { account_sid: string }) => {
  const device = useController<AccountValues, 'device_calling_application_sid'>({
    name: 'device_calling_application_sid',
  })
  const siprec = useController<AccountValues, 'siprec_hook_sid'>({ name: 'siprec_hook_sid' })
  return (
    <FormSection title="Applications" description="Which applications of this account take these calls.">
      <ApplicationField
        {...device.field}
        account_sid={account_sid}
        label="Application for SIP device calls"
        hint="Handles incoming calls from devices registered to the realm."
        error={device.fieldState.error?.message}
      />
      <ApplicationField
        {...siprec.field}
        account_sid={account_sid}
        label="Application for SIPREC calls"
        hint="Handles calls that a recording client sends here."
        error={siprec.fieldState.error?.message}
      />
    </FormSection>
  )
}

import { ApplicationField } from '../../../fields/application-field.tsx'
import { useSelection } from '../../../form/use-fields.ts'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import type { AccountValues } from './account-form.ts'

/** Selects the applications for SIP device calls and SIPREC calls. */
export const ApplicationsSection = ({ account_sid }: { account_sid: string }) => {
  const device = useSelection<AccountValues>('device_calling_application_sid')
  const siprec = useSelection<AccountValues>('siprec_hook_sid')
  return (
    <FormSection title="Applications" description="Applications that handle these calls.">
      <FieldRow>
        <ApplicationField
          {...device}
          owner={{ account_sid }}
          label="Application for SIP device calls"
          hint="Handles incoming calls from devices registered to the realm."
        />
        <ApplicationField
          {...siprec}
          owner={{ account_sid }}
          label="Application for SIPREC calls"
          hint="Handles calls from SIPREC recording clients."
        />
      </FieldRow>
    </FormSection>
  )
}

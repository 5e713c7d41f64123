import { applicationLengths } from '@patchbay/contract/applications/record'
import { AccountField } from '../../../fields/account-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyField } from '../../../ui/format/sid.tsx'
import type { ApplicationValues } from './application-form.ts'

interface ApplicationSectionProps {
  /** Absent for a new application. */
  application_sid?: string
  /** Provider that the account selector lists accounts of. Undefined for account users. */
  service_provider_sid: string | undefined
}

/** Form section for the name and the account of an application. */
export const ApplicationSection = ({ application_sid, service_provider_sid }: ApplicationSectionProps) => {
  const field = useFields<ApplicationValues>()
  // Registering the name first makes it receive the focus when both fields have errors.
  const name = field('name')
  const account = useSelection<ApplicationValues>('account_sid')
  return (
    <FormSection title="Application" description="Name and account of the application.">
      {application_sid !== undefined && <CopyField label="Application SID" value={application_sid} />}
      <TextField label="Application name" required maxLength={applicationLengths.name} autoComplete="off" {...name} />
      {service_provider_sid !== undefined && <AccountField {...account} service_provider_sid={service_provider_sid} />}
    </FormSection>
  )
}

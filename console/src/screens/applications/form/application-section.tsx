import { applicationLengths } from '@patchbay/contract/shared/column-lengths'
import { useController, useFormContext } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { CopyField } from '../../../ui/sid.tsx'
import type { ApplicationValues } from './application-form.ts'

interface ApplicationSectionProps {
  /** of an application that exists */
  application_sid?: string
  /** whose accounts there are to choose from; not for who has one alone */
  service_provider_sid: string | undefined
}

/** What an application is called, and whose it is. */
export const ApplicationSection = ({ application_sid, service_provider_sid }: ApplicationSectionProps) => {
  const { register, formState } = useFormContext<ApplicationValues>()
  // The first to be named has the focus when both are wrong.
  const name = register('name')
  const account = useController<ApplicationValues, 'account_sid'>({ name: 'account_sid' })
  return (
    <FormSection title="Application" description="What it is called, and the account whose calls it answers.">
      {application_sid !== undefined && <CopyField label="Application SID" value={application_sid} />}
      <TextField
        label="Application name"
        required
        maxLength={applicationLengths.name}
        autoComplete="off"
        error={formState.errors.name?.message}
        {...name}
      />
      {service_provider_sid !== undefined && (
        <AccountField
          {...account.field}
          service_provider_sid={service_provider_sid}
          error={account.fieldState.error?.message}
        />
      )}
    </FormSection>
  )
}

import type { Vendor } from '@patchbay/contract/speech/descriptor'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import { useController, useFormContext } from 'react-hook-form'
import { config } from '../../../api/configuration.ts'
import { AccountField } from '../../../fields/account-field.tsx'
import { SearchableSelectField } from '../../../fields/searchable-select-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { changeVendor, type SpeechValues, vendorOptions } from './speech-form.ts'

interface ServiceSectionProps {
  vendor: Vendor | undefined
  exists: boolean
  /** Provider that the account selector lists accounts of. Absent for account users. */
  service_provider_sid?: string
}

const VendorField = ({ exists }: { exists: boolean }) => {
  const { reset, getValues } = useFormContext<SpeechValues>()
  const { field, fieldState } = useController<SpeechValues, 'vendor'>({ name: 'vendor' })
  return (
    <SearchableSelectField
      {...field}
      label="Vendor"
      required
      disabled={exists}
      placeholder="Choose a vendor"
      error={fieldState.error?.message}
      options={vendorOptions(exists ? new Set() : config().switches, field.value)}
      // Discards the field values of the previous vendor.
      onChange={(vendor) => reset(changeVendor(vendor, getValues()), { keepDefaultValues: true, keepTouched: false })}
    />
  )
}

/** Form section for the vendor, the account, and the uses of a service. */
export const ServiceSection = ({ vendor, exists, service_provider_sid }: ServiceSectionProps) => {
  const field = useFields<SpeechValues>()
  const account = useSelection<SpeechValues>('account_sid')
  return (
    <FormSection title="Service" description={exists ? 'Vendor, account, and label can’t be changed.' : undefined}>
      <FieldRow>
        <VendorField exists={exists} />
        {vendor?.named && (
          <TextField label="Name" required readOnly={exists} maxLength={lengths.customName} {...field('name')} />
        )}
        {service_provider_sid !== undefined && (
          <AccountField {...account} service_provider_sid={service_provider_sid} all="All accounts" disabled={exists} />
        )}
        <TextField
          label="Label"
          hint="Only needed for several services of one vendor. Applications select a service by its label."
          readOnly={exists}
          placeholder={exists ? 'None' : undefined}
          maxLength={lengths.label}
          {...field('label')}
        />
      </FieldRow>
      {vendor && (
        <FieldRow>
          {vendor.tts && <CheckboxField label="Use for text-to-speech" {...field('use_for_tts')} />}
          {vendor.stt && <CheckboxField label="Use for speech-to-text" {...field('use_for_stt')} />}
        </FieldRow>
      )}
    </FormSection>
  )
}

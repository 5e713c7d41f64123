import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { useFields } from '../../../form/use-fields.ts'
import { SwitchField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyField } from '../../../ui/format/sid.tsx'
import type { CarrierValues } from './carrier-form.ts'

/** Name, description, and active state of a carrier. */
export const CarrierSection = ({ voip_carrier_sid }: { voip_carrier_sid?: string }) => {
  const field = useFields<CarrierValues>()
  return (
    <FormSection title="Carrier" description="Name and state of the carrier.">
      {voip_carrier_sid !== undefined && <CopyField label="Carrier SID" value={voip_carrier_sid} />}
      <TextField label="Carrier name" required maxLength={lengths.name} autoComplete="off" {...field('name')} />
      <TextField label="Description" maxLength={lengths.description} autoComplete="off" {...field('description')} />
      <SwitchField label="Active" hint="Only active carriers receive and place calls." {...field('is_active')} />
    </FormSection>
  )
}

import type { Call } from '@patchbay/contract/recent-calls'
import { addressMaskings, numberMaskings, type ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { createPseudonyms } from '@patchbay/rules/sip/masking/pseudonyms'
import { addressLabels, numberLabels } from '../../../sections/call-shares/masking-labels.ts'
import { SelectField } from '../../../ui/fields/field.tsx'
import styles from './report.module.css'

const toOptions = <Value extends string>(values: readonly Value[], labels: Readonly<Record<Value, string>>) =>
  values.map((value) => ({ value, label: labels[value] }))

/** Shows how a value of the call appears in the report. */
const describeExample = (value: string, masked: string | undefined): string =>
  masked === undefined || masked === value ? `${value} is shown.` : `${value} becomes ${masked}.`

interface MaskingFieldsProps {
  call: Call
  masking: ReportMasking
  onChange: (masking: ReportMasking) => void
}

/** Chooses what the report masks, with an example of the call. */
export const MaskingFields = ({ call, masking, onChange }: MaskingFieldsProps) => {
  const { maskUser, maskHost } = createPseudonyms(masking, [])
  const number = call.to ?? call.from ?? ''
  const address = call.host ?? '10.0.0.5'
  const pick = <Value extends string>(values: readonly Value[], value: string): Value | undefined =>
    values.find((one) => one === value)
  return (
    <div className={styles['masking']}>
      <SelectField
        label="Phone numbers"
        data-autofocus
        options={toOptions(numberMaskings, numberLabels)}
        value={masking.numbers}
        hint={number === '' ? undefined : describeExample(number, maskUser(number))}
        onChange={({ target }) => onChange({ ...masking, numbers: pick(numberMaskings, target.value) ?? 'masked' })}
      />
      <SelectField
        label="Addresses"
        options={toOptions(addressMaskings, addressLabels)}
        value={masking.addresses}
        hint={describeExample(address, maskHost(address))}
        onChange={({ target }) => onChange({ ...masking, addresses: pick(addressMaskings, target.value) ?? 'all' })}
      />
    </div>
  )
}

import { numberDigits } from '@patchbay/rules/phone-number/format'
import { CopyButton } from '../copy-button.tsx'
import { usePhoneNumberFormat } from './phone-number-format.ts'
import styles from './value.module.css'

export interface PhoneNumberProps {
  /** The stored number. SIP URIs and names are displayed unchanged. */
  value: string | null | undefined
}

/** A formatted phone number, for links and sentences. */
export const PhoneNumberText = ({ value }: { value: string }) => <bdi>{usePhoneNumberFormat()(value)}</bdi>

/** A formatted phone number on one line, with a button that copies the stored number. */
export const PhoneNumber = ({ value }: PhoneNumberProps) => {
  const formatNumber = usePhoneNumberFormat()
  if (!value) return '–'
  const formatted = formatNumber(value)
  return (
    <span className={styles.value}>
      <bdi className={numberDigits(value) === undefined ? styles.text : styles.number}>{formatted}</bdi>
      <CopyButton value={value} label={`Copy ${formatted}`} />
    </span>
  )
}

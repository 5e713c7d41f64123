import { formatPhoneNumber, numberDigits } from '@patchbay/contract/phone-number/format'
import { CopyButton } from './copy-button.tsx'
import styles from './value.module.css'

export interface PhoneNumberProps {
  /** As the wire has it; a SIP URI or a name stands as it is. */
  value: string | null | undefined
}

/** A phone number as people read it, on one line, with a button that copies it as it is stored. */
export const PhoneNumber = ({ value }: PhoneNumberProps) => {
  if (!value) return '–'
  const shown = formatPhoneNumber(value)
  return (
    <span className={styles.value}>
      <bdi className={numberDigits(value) === undefined ? styles.text : styles.number}>{shown}</bdi>
      <CopyButton value={value} label={`Copy ${shown}`} />
    </span>
  )
}

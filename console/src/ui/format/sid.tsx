import { type ReactNode, useId } from 'react'
import { classes } from '../classes.ts'
import { CopyButton } from '../copy-button.tsx'
import { Tooltip } from '../overlay/tooltip.tsx'
import styles from './sid.module.css'
import valueStyles from './value.module.css'

export interface SidProps {
  value: string
  /** The noun of the record for the label of the copy button. */
  of: string
  /** Replaces the copy button. Null for no button. */
  action?: ReactNode
}

export interface CopyFieldProps {
  label: string
  value: string
  hint?: ReactNode
}

const visibleLength = 8

export const shortSid = (sid: string): string => (sid.length > visibleLength ? `${sid.slice(0, visibleLength)}…` : sid)

/** A shortened SID with a button that copies the full SID, which is also in the tooltip. */
export const Sid = ({ value, of, action }: SidProps) => (
  <span className={classes(valueStyles.value, valueStyles.sid)}>
    <Tooltip text={<code className={valueStyles.whole}>{value}</code>}>
      {(tipId) => <code aria-describedby={tipId}>{shortSid(value)}</code>}
    </Tooltip>
    {action === undefined ? <CopyButton value={value} label={`Copy the SID of ${of}`} /> : action}
  </span>
)

interface ValueBoxProps {
  label: string
  hint?: ReactNode
  /** The value and its buttons. */
  children: ReactNode
}

/** A read-only value with a label like the fields around it, but without a frame. */
export const ValueBox = ({ label, hint, children }: ValueBoxProps) => {
  const id = useId()
  return (
    <fieldset className={styles.field} aria-labelledby={id}>
      <span id={id} className={styles.label}>
        {label}
      </span>
      <span className={styles.box}>{children}</span>
      {hint === undefined ? null : <p className={styles.hint}>{hint}</p>}
    </fieldset>
  )
}

/** A read-only value in a form, with a button that copies it. */
export const CopyField = ({ label, value, hint }: CopyFieldProps) => (
  <ValueBox label={label} hint={hint}>
    <code>{value}</code>
    <CopyButton value={value} label={`Copy ${label}`} />
  </ValueBox>
)

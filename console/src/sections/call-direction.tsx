import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import styles from './call-direction.module.css'

/** The direction of a call as an arrow, with its name as the tooltip. */
export const CallDirection = ({ direction }: { direction: string }) => {
  const Icon = direction === 'inbound' ? ArrowDownLeft : ArrowUpRight
  return (
    <span className={styles['direction']} title={direction}>
      <Icon size={14} aria-hidden="true" />
      <span className="visually-hidden">{direction}</span>
    </span>
  )
}

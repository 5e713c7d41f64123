import { ArrowUpRight } from 'lucide-react'
import { classes } from '../ui/classes.ts'
import styles from './call-direction.module.css'

/** The direction of a call as an arrow, with its name as the tooltip. */
export const CallDirection = ({ direction }: { direction: string }) => (
  <span className={classes(styles['direction'], direction === 'inbound' && styles['inbound'])} title={direction}>
    <ArrowUpRight size={14} aria-hidden="true" />
    <span className="visually-hidden">{direction}</span>
  </span>
)

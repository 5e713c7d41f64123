import { CircleCheck, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import styles from './routing-outcome.module.css'

interface RoutingOutcomeProps {
  isGood: boolean
  /** Shows the outcome in a frame. */
  framed?: boolean
  children: ReactNode
}

/** States whether a simulated call reaches its destination. */
export const RoutingOutcome = ({ isGood, framed, children }: RoutingOutcomeProps) => {
  const Icon = isGood ? CircleCheck : CircleX
  return (
    <div role="status" className={classes(styles['outcome'], isGood && styles['good'], framed && styles['framed'])}>
      <Icon size={framed ? 15 : 18} aria-hidden="true" />
      <div>{children}</div>
    </div>
  )
}

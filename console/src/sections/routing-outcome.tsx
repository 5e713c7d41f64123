import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import styles from './routing-outcome.module.css'

/** `unknown` if nothing is known to fail, and nothing shows that the call arrives. */
export type Outcome = 'good' | 'bad' | 'unknown'

interface RoutingOutcomeProps {
  outcome: Outcome
  /** Shows the outcome in a frame. */
  framed?: boolean
  children: ReactNode
}

const icons: Readonly<Record<Outcome, LucideIcon>> = { good: CircleCheck, bad: CircleX, unknown: CircleHelp }

/** States whether a simulated call reaches its destination. */
export const RoutingOutcome = ({ outcome, framed, children }: RoutingOutcomeProps) => {
  const Icon = icons[outcome]
  return (
    <div role="status" className={classes(styles['outcome'], styles[outcome], framed && styles['framed'])}>
      <Icon size={framed ? 15 : 18} aria-hidden="true" />
      <div>{children}</div>
    </div>
  )
}

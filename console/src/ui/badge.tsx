import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './badge.module.css'
import { classes } from './classes.ts'

/** `passed` is the teal of a connection test without errors. */
export type StateTone = 'good' | 'passed' | 'warn' | 'bad' | 'neutral'

export interface StateBadgeProps {
  tone: StateTone
  /** Replaces the default icon of the tone. */
  icon?: ReactNode
  children: ReactNode
}

const icons = { good: CircleCheck, passed: CircleCheck, warn: CircleAlert, bad: CircleX, neutral: CircleMinus }

/** A status label. It always has an icon and a text besides its color, so that it can be read without colors. */
export const StateBadge = ({ tone, icon, children }: StateBadgeProps) => {
  const Icon = icons[tone]
  return (
    <span className={classes(styles.badge, styles[tone])}>
      {icon ?? <Icon size={13} aria-hidden="true" />}
      <span>{children}</span>
    </span>
  )
}

import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './badge.module.css'
import { classes } from './classes.ts'

export type StateTone = 'good' | 'warn' | 'bad' | 'neutral'

export interface StateBadgeProps {
  tone: StateTone
  /** In place of the tone's own icon. */
  icon?: ReactNode
  /** In a narrow table the icon says it alone, to the eye. */
  brief?: boolean
  children: ReactNode
}

const icons = { good: CircleCheck, warn: CircleAlert, bad: CircleX, neutral: CircleMinus }

/** A state: a colour, and always an icon and a word with it. */
export const StateBadge = ({ tone, icon, brief = false, children }: StateBadgeProps) => {
  const Icon = icons[tone]
  return (
    <span className={classes(styles.badge, styles[tone], brief && styles.brief)}>
      {icon ?? <Icon size={13} aria-hidden="true" />}
      <span>{children}</span>
    </span>
  )
}

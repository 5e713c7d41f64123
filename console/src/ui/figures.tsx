import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './figures.module.css'

/** A row of figures. */

interface FigureCardProps {
  label: string
  figure: ReactNode
  hint?: ReactNode
  /** Whether the figure is beyond a limit. */
  isExceeded?: boolean
}

/** A figure with its name. Belongs into `FigureCards`. */
export const FigureCard = ({ label, figure, hint, isExceeded = false }: FigureCardProps) => (
  <div className={styles['card']}>
    <dt>{label}</dt>
    <dd className={classes(styles['figure'], isExceeded && styles['exceeded'])}>{figure}</dd>
    {hint !== undefined && <dd className={styles['hint']}>{hint}</dd>}
  </div>
)

/** The text in place of a figure that is not available. */
export const NoFigure = ({ children }: { children: string }) => <span className={styles['none']}>{children}</span>

export const FigureCards = ({ children }: { children: ReactNode }) => <dl className={styles['cards']}>{children}</dl>

import type { ReactNode } from 'react'
import styles from './figures.module.css'

/** A row of figures. */

interface FigureCardProps {
  label: string
  figure: ReactNode
  hint?: ReactNode
}

/** A figure with its name. Belongs into `FigureCards`. */
export const FigureCard = ({ label, figure, hint }: FigureCardProps) => (
  <div className={styles['card']}>
    <dt>{label}</dt>
    <dd className={styles['figure']}>{figure}</dd>
    {hint !== undefined && <dd className={styles['hint']}>{hint}</dd>}
  </div>
)

/** The text in place of a figure that is not available. */
export const NoFigure = ({ children }: { children: string }) => <span className={styles['none']}>{children}</span>

export const FigureCards = ({ children }: { children: ReactNode }) => <dl className={styles['cards']}>{children}</dl>

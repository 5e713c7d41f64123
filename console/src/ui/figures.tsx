import type { ReactNode } from 'react'
import styles from './figures.module.css'

/** Parts of screens with statistics: a row of figures, and tables. */

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

/** The column of cards, charts, and tables. */
export const FigurePage = ({ children }: { children: ReactNode }) => <div className={styles['page']}>{children}</div>

/** A titled table that scrolls horizontally inside its section. */
export const FigureTable = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles['part']}>
    <h2>{title}</h2>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label={title}>
      <table className={styles['table']} aria-label={title}>
        {children}
      </table>
    </div>
  </section>
)

interface PickButtonProps {
  onPick: () => void
  /** The accessible name, if it is not the content. */
  label?: string
  children: ReactNode
}

/** A value in a table that selects itself as a filter. */
export const PickButton = ({ onPick, label, children }: PickButtonProps) => (
  <button type="button" className={styles['pick']} onClick={onPick} aria-label={label}>
    {children}
  </button>
)

/** The class of columns that are hidden on narrow screens. */
export const wideOnly = styles['least']

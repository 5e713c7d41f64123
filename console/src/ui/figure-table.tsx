import type { ReactNode } from 'react'
import styles from './figures.module.css'

/** Parts of screens with statistics: their column, and tables. */

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

/** A figure that is beyond a limit. */
export const ExceededFigure = ({ children }: { children: string }) => (
  <span className={styles['exceeded']}>{children}</span>
)

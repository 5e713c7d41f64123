import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './side-column.module.css'

interface SideColumnProps {
  /** The content has the whole width if this is empty. */
  side: ReactNode
  /** Gives the side more room. */
  isWide?: boolean
  children: ReactNode
}

/** Content, and what belongs to it in a column at its side, which follows the content in narrow windows. */
export const SideColumn = ({ side, isWide = false, children }: SideColumnProps) => (
  <div className={classes(styles.columns, Boolean(side) && styles.sided, isWide && styles.wide)}>
    <div className={styles.column}>{children}</div>
    {side && <div className={classes(styles.column, styles.side)}>{side}</div>}
  </div>
)

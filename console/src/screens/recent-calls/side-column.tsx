import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import styles from './side-column.module.css'

interface SideColumnProps {
  /** The content has the whole width if this is empty. */
  side: ReactNode
  /** Gives the side more room. */
  isWide?: boolean
  children: ReactNode
}

/** Content, and what belongs to it in a column at its side, which follows the content in narrow windows. */
export const SideColumn = ({ side, isWide = false, children }: SideColumnProps) =>
  side ? (
    <div className={classes(styles['columns'], styles[isWide ? 'wide' : 'sided'])}>
      <div>{children}</div>
      <div className={styles['side']}>{side}</div>
    </div>
  ) : (
    children
  )

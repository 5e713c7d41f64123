import { classes } from './classes.ts'
import styles from './spinner.module.css'

export interface SpinnerProps {
  className?: string
}

/** A spinner that is hidden from screen readers. The caller announces what is loading. */
export const Spinner = ({ className }: SpinnerProps) => (
  <span className={classes(styles.spinner, className)} aria-hidden="true" />
)

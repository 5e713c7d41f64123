import { classes } from './classes.ts'
import styles from './spinner.module.css'

export interface SpinnerProps {
  className?: string
}

/** A turning ring, for the eye alone: whatever is busy says so in words itself. */
export const Spinner = ({ className }: SpinnerProps) => (
  <span className={classes(styles.spinner, className)} aria-hidden="true" />
)

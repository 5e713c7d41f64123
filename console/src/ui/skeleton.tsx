import { classes } from './classes.ts'
import styles from './skeleton.module.css'

export interface SkeletonProps {
  /** The content that will replace the skeleton. The skeleton has its size, so nothing moves when it loads. */
  shape?: 'line' | 'title' | 'field' | 'block'
  count?: number
}

/** Gray placeholder shapes. They are hidden from screen readers, so the caller has to announce "Loading…". */
export const Skeleton = ({ shape = 'line', count = 1 }: SkeletonProps) =>
  Array.from({ length: count }, (_, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- skeletons have no identity
    <span key={at} className={classes(styles.skeleton, styles[shape])} aria-hidden="true" />
  ))

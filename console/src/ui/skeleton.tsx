import { classes } from './classes.ts'
import styles from './skeleton.module.css'

export interface SkeletonProps {
  /** The content that the skeleton stands for, so that nothing moves when it loads. */
  shape?: 'line' | 'title' | 'field' | 'block'
  count?: number
}

/** Grey shapes in the place of what is still loading. For the eye: say "Loading…" beside it. */
export const Skeleton = ({ shape = 'line', count = 1 }: SkeletonProps) =>
  Array.from({ length: count }, (_, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- skeletons have no identity
    <span key={at} className={classes(styles.skeleton, styles[shape])} aria-hidden="true" />
  ))

import { Plus, X } from 'lucide-react'
import { classes } from '../classes.ts'
import styles from './further-filters.module.css'

/** Adds a filter that has no control of its own in the bar. */
export const AddFilter = ({ onClick }: { onClick: () => void }) => (
  <button type="button" className={classes(styles.filter, styles.add)} onClick={onClick}>
    <Plus size={14} aria-hidden="true" />
    Add filter
  </button>
)

interface RemovableFilterProps {
  text: string
  onRemove: () => void
}

/** A filter that has no control of its own in the bar, as a button that removes it. */
export const RemovableFilter = ({ text, onRemove }: RemovableFilterProps) => (
  <button
    type="button"
    className={classes(styles.filter, styles.set)}
    aria-label={`${text}: remove this filter`}
    onClick={onRemove}
  >
    {text}
    <X size={14} aria-hidden="true" />
  </button>
)

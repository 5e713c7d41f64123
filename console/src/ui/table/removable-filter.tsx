import { X } from 'lucide-react'
import { classes } from '../classes.ts'
import styles from './filter-chip.module.css'
import selectStyles from './filter-select.module.css'

interface RemovableFilterProps {
  /** Omitted if the value says what it limits. */
  label?: string
  value: string
  onRemove: () => void
}

/** A filter of a list that can only be removed, because a link or a dialog has set it. The whole chip is its button. */
export const RemovableFilter = ({ label, value, onRemove }: RemovableFilterProps) => (
  <button
    type="button"
    className={classes(selectStyles.select, styles.removable)}
    aria-label={`${label ? `${label}: ` : ''}${value}: remove this filter`}
    title="Remove this filter"
    onClick={onRemove}
  >
    <span className={selectStyles.name}>{label}</span>
    <strong>{value}</strong>
    <X size={14} aria-hidden="true" />
  </button>
)

import { X } from 'lucide-react'
import styles from './removable-filter.module.css'

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
    className={styles.filter}
    aria-label={`${label ? `${label}: ` : ''}${value}: remove this filter`}
    title="Remove this filter"
    onClick={onRemove}
  >
    {label && <span>{label}</span>}
    {value}
    <X size={14} aria-hidden="true" />
  </button>
)

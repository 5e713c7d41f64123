import { Plus } from 'lucide-react'
import styles from './add-filter.module.css'

/** Adds a filter that has no control of its own in the bar. */
export const AddFilter = ({ onClick }: { onClick: () => void }) => (
  <button type="button" className={styles.add} onClick={onClick}>
    <Plus size={14} aria-hidden="true" />
    Add filter
  </button>
)

import { X } from 'lucide-react'
import { classes } from '../classes.ts'
import styles from './filter-chip.module.css'
import { FilterSelect, type FilterSelectProps } from './filter-select.tsx'

interface FilterChipProps<Value extends string> extends FilterSelectProps<Value> {
  /** The value that selects everything. */
  unset: Value
}

/** A filter of a list. With another value than `unset` it is emphasized, and has a button that clears it. */
export const FilterChip = <Value extends string>({ unset, ...props }: FilterChipProps<Value>) => {
  const isSet = props.value !== unset
  return (
    <span className={classes(styles.chip, isSet && styles.set)}>
      <FilterSelect {...props} />
      {isSet && (
        <button
          type="button"
          className={styles.clear}
          onClick={({ currentTarget }) => {
            // The button goes, and the focus would be lost.
            currentTarget.parentElement?.querySelector('select')?.focus()
            props.onChange(unset)
          }}
        >
          <X size={14} aria-hidden="true" />
          <span className="visually-hidden">Clear {props.label}</span>
        </button>
      )}
    </span>
  )
}

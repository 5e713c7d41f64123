import { ChevronDown } from 'lucide-react'
import type { Ref } from 'react'
import { classes } from '../classes.ts'
import styles from './filter-select.module.css'

export interface FilterSelectProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
  /** Uses the width of `SearchSelect`, so that either can replace the other. */
  wide?: boolean
  ref?: Ref<HTMLLabelElement>
}

/** A filter with few options and its label inside the frame. Use `SearchSelect` for more than ten options. */
export const FilterSelect = <Value extends string>(props: FilterSelectProps<Value>) => {
  const { label, value, options, onChange, wide = false, ref } = props
  return (
    <label ref={ref} className={classes(styles.select, wide && styles.wide)}>
      <span className={styles.name}>{label}</span>
      <select
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((option) => option.value === target.value)
          if (chosen) onChange(chosen.value)
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown size={14} aria-hidden="true" />
    </label>
  )
}

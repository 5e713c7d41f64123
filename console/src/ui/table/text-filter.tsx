import type { ReactNode } from 'react'
import styles from './text-filter.module.css'

interface TextFilterProps {
  label: string
  value: string
  onChange: (value: string) => void
}

/** Filters a part of a call while the user types. The `/` shortcut belongs to the filter of the list. */
export const TextFilter = ({ label, value, onChange }: TextFilterProps) => (
  <label className={styles.text}>
    <span className="visually-hidden">{label}</span>
    <input
      type="search"
      value={value}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)

/** The controls above a part of a call: filters, buttons, and a count. */
export const Toolbar = ({ children }: { children: ReactNode }) => <div className={styles.toolbar}>{children}</div>

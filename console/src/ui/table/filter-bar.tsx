import { ChevronDown, Search } from 'lucide-react'
import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import { classes } from '../classes.ts'
import { isFreeKey } from '../overlay/can-handle-shortcut.ts'
import { Spinner } from '../spinner.tsx'
import styles from './filter-bar.module.css'

export interface FilterBarProps {
  children: ReactNode
  /** Buttons at the right end. */
  actions?: ReactNode
}

export interface SearchFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** The typed text is not applied yet. Enter applies it immediately. */
  pending?: boolean
  onEnter?: () => void
  /** Called when the field loses the focus. */
  onBlur?: () => void
}

export interface FilterSelectProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
  /** Uses the width of `SearchSelect`, so that either can replace the other. */
  wide?: boolean
  ref?: Ref<HTMLLabelElement>
}

/** The row of filters above a list. */
export const FilterBar = ({ children, actions }: FilterBarProps) => (
  <search aria-label="Filters" className={styles.bar}>
    {children}
    {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
  </search>
)

/** A free-text filter. `/` moves the focus to it from anywhere on the page, and Esc clears it. */
export const SearchField = ({ label, value, onChange, pending = false, onEnter, onBlur }: SearchFieldProps) => {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const jump = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isFreeKey(event)) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', jump)
    return () => document.removeEventListener('keydown', jump)
  }, [])
  return (
    <label className={styles.search}>
      <span className="visually-hidden">{label}</span>
      <Search size={15} aria-hidden="true" />
      <input
        ref={input}
        type="search"
        value={value}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        aria-keyshortcuts="/"
        onChange={({ target }) => onChange(target.value)}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.()
          if (event.key !== 'Escape') return
          event.stopPropagation()
          if (value === '') event.currentTarget.blur()
          else onChange('')
        }}
      />
      {pending ? <Spinner /> : <kbd aria-hidden="true">/</kbd>}
    </label>
  )
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

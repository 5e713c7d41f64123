import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { isFreeKey } from '../overlay/can-handle-shortcut.ts'
import { Spinner } from '../spinner.tsx'
import styles from './filter-bar.module.css'

export interface FilterBarProps {
  /** The text filter, at the start. */
  search?: ReactNode
  /** The other filters. On a phone, they are one line that scrolls by itself. */
  children?: ReactNode
  /** The count and buttons, at the right end. */
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

/** The row of filters above a list. */
export const FilterBar = ({ search, children, actions }: FilterBarProps) => (
  <search aria-label="Filters" className={styles.bar}>
    {search}
    {children ? <div className={styles.chips}>{children}</div> : null}
    {actions ? <div className={styles.actions}>{actions}</div> : null}
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

/** Reserves the width of the button that adds a filter, or of two icon buttons, until their code has loaded. */
export const FiltersRoom = ({ icons = false }: { icons?: boolean | undefined }) => (
  <span className={icons ? styles.icons : styles.room} />
)

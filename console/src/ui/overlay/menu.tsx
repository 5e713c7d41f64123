import { EllipsisVertical } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { buttonClass } from '../button.tsx'
import { classes } from '../classes.ts'
import styles from './menu.module.css'
import { positionPopover } from './position-popover.ts'

export interface MenuItem {
  label: string
  icon?: ReactNode
  onSelect: () => void
  /** The action cannot be undone. */
  danger?: boolean
  /** Why the entry is disabled. Shown below its label. */
  disabledReason?: string | undefined
}

export interface MenuProps {
  /** The accessible name of the button. */
  label: string
  items: readonly MenuItem[]
  /** Replaces the icon with three dots. */
  icon?: ReactNode
  /** The visible label of the button. Without it, the button shows only an icon. */
  text?: ReactNode
  /** The menu is open from the beginning, because the button that the user has pressed has loaded it. */
  startsOpen?: boolean
}

const steps: Partial<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/**
 * A button with a menu in a native popover. Arrow keys, Home, End, and first letters move the focus, and Esc closes the
 * menu.
 */
export const Menu = ({ label, items, icon, text, startsOpen = false }: MenuProps) => {
  const id = useId()
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (startsOpen) menu.current?.showPopover()
  }, [startsOpen])
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]

  const close = () => {
    menu.current?.hidePopover()
    trigger.current?.focus()
  }
  const walk = (event: KeyboardEvent) => {
    // The key must not reach a table row or a dialog around the menu.
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault()
      return close()
    }
    const all = entries()
    const at = all.findIndex((entry) => entry === document.activeElement)
    const typedLetter = event.key.length === 1 && /\p{L}/u.test(event.key) ? event.key.toLowerCase() : undefined
    const after = [...all.slice(at + 1), ...all.slice(0, at + 1)]
    const byLetter = typedLetter
      ? after.find((entry) => entry.textContent?.trim().toLowerCase().startsWith(typedLetter))
      : undefined
    const step = steps[event.key]
    const next = step ? all[step(at, all.length)] : byLetter
    if (!next) return
    event.preventDefault()
    next.focus()
  }

  return (
    <>
      <button
        ref={trigger}
        type="button"
        popoverTarget={id}
        className={classes(
          buttonClass(text === undefined ? 'ghost' : 'secondary', text === undefined ? 'small' : 'medium'),
          text === undefined && styles.trigger,
        )}
        aria-label={text === undefined ? label : undefined}
        title={text === undefined ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={open}
      >
        {icon ?? <EllipsisVertical aria-hidden="true" />}
        {text}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className={styles.menu}
        onKeyDown={walk}
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState !== 'open' || !menu.current || !trigger.current) return
          positionPopover(trigger.current, menu.current, 'end')
          entries()[0]?.focus()
        }}
      >
        {items.map(({ label: name, icon: sign, onSelect, danger, disabledReason }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-disabled={disabledReason === undefined ? undefined : true}
            className={classes(styles.item, danger && styles.danger)}
            onClick={() => {
              if (disabledReason !== undefined) return
              close()
              onSelect()
            }}
          >
            {sign}
            <span>
              {name}
              {disabledReason === undefined ? null : <span className={styles.reason}>{disabledReason}</span>}
            </span>
          </button>
        ))}
      </div>
    </>
  )
}

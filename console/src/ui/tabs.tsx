import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import styles from './tabs.module.css'

export interface Tab<Id extends string> {
  id: Id
  label: string
  /** A count or a status after the label. */
  badge?: ReactNode
}

export interface TabsProps<Id extends string> {
  /** The accessible name of the tab list. */
  label: string
  tabs: readonly Tab<Id>[]
  selected: Id
  onSelect: (id: Id) => void
  /** The panel of the selected tab. */
  children: ReactNode
}

const steps: Partial<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Tabs with one panel. Arrow keys, Home, and End move the focus and select a tab. */
export const Tabs = <Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const at = step?.(
      tabs.findIndex((tab) => tab.id === selected),
      tabs.length,
    )
    const next = at === undefined ? undefined : tabs[at]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.id)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at ?? 0]?.focus()
  }
  return (
    <div>
      <div ref={list} role="tablist" tabIndex={-1} aria-label={label} className={styles.list} onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={tab.id === selected ? `${id}-panel` : undefined}
            tabIndex={tab.id === selected ? 0 : -1}
            className={styles.tab}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
            {tab.badge}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className={styles.panel}>
        {children}
      </div>
    </div>
  )
}

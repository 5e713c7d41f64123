import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'

const rowSelector = 'tr[data-row]'
// The name of a row is its link; a row that has none is known by what opens it.
const primary = (row: Element | undefined): HTMLElement | null | undefined =>
  row?.querySelector<HTMLElement>('[data-row-primary]') ??
  row?.querySelector<HTMLElement>('a[href]') ??
  row?.querySelector<HTMLElement>('button')

const steps: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
}

interface RowFocus {
  body: RefObject<HTMLTableSectionElement | null>
  onKeyDown: (event: KeyboardEvent<HTMLTableSectionElement>) => void
  onFocus: (event: FocusEvent<HTMLTableSectionElement>) => void
  onBlur: (event: FocusEvent<HTMLTableSectionElement>) => void
}

/**
 * Arrow up and down, Home and End walk through the rows by the link of each, or its first button. When the
 * row that holds the focus goes (it was deleted), the focus goes to the row that took its place.
 */
export const useRowFocus = (): RowFocus => {
  const body = useRef<HTMLTableSectionElement>(null)
  const focused = useRef<{ row: Element; at: number }>(undefined)
  const rows = () => [...(body.current?.querySelectorAll(rowSelector) ?? [])]

  useLayoutEffect(() => {
    const lost = focused.current
    if (lost === undefined || lost.row.isConnected) return
    focused.current = undefined
    const nobody = document.activeElement === null || document.activeElement === document.body
    if (nobody) primary(rows().at(Math.min(lost.at, rows().length - 1)))?.focus()
  })

  return {
    body,
    onKeyDown: (event) => {
      const step = steps[event.key]
      const { target } = event
      if (step === undefined || event.defaultPrevented || !(target instanceof Element)) return
      const row = target.closest(rowSelector)
      if (row === null || target.matches('input, select, textarea, [role^="menu"]')) return
      const all = rows()
      const next = primary(all[step(all.indexOf(row), all.length - 1)])
      if (!next) return
      event.preventDefault()
      next.focus()
    },
    onFocus: ({ target }) => {
      const row = target.closest(rowSelector)
      focused.current = row ? { row, at: rows().indexOf(row) } : undefined
    },
    onBlur: ({ target }) => {
      // An element taken out of the document may blur too; then the row is still looked after.
      if (target.isConnected) focused.current = undefined
    },
  }
}

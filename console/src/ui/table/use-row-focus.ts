import { type FocusEvent, type KeyboardEvent, type MouseEvent, type RefObject, useLayoutEffect, useRef } from 'react'

const rowSelector = 'tr[data-row]'
const focusable = 'a[href], button, input[type=checkbox], [tabindex]'

/** Returns the main control of a row: the link of its name, or the button that opens it. */
const findPrimary = (row: Element | null | undefined): HTMLElement | null | undefined =>
  row?.querySelector<HTMLElement>('[data-row-primary]') ??
  row?.querySelector<HTMLElement>('[data-card=opener] > button') ??
  row?.querySelector<HTMLElement>('a[href]') ??
  row?.querySelector<HTMLElement>('button')

const controls = (row: Element) => [...row.querySelectorAll<HTMLElement>(focusable)]

/** Leaves the main control of a row as its only tab stop. */
export const setTabStop = (row: Element | null): void => {
  const primary = findPrimary(row)
  for (const control of row ? controls(row) : []) if (control !== primary) control.tabIndex = -1
}

/** Returns whether the browser handles a click itself: it opens a tab or a window, or selects text. */
export const hasModifier = (event: MouseEvent): boolean =>
  event.ctrlKey || event.metaKey || event.shiftKey || event.altKey

const isControl = 'a, button, input, select, textarea, label, summary, [role="menu"], [role="tooltip"]'

/**
 * Handles a click on a row outside its controls like a click on its main control, unless the user is selecting text.
 */
const pressRow = (event: MouseEvent<HTMLElement>): void => {
  const { target } = event
  if (event.defaultPrevented || hasModifier(event)) return
  if (!(target instanceof Element) || target.closest(isControl)) return
  if (window.getSelection()?.type === 'Range') return
  const primary = findPrimary(target.closest(rowSelector))
  primary?.focus()
  primary?.click()
}

const rowSteps: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
}

interface RowFocus {
  body: RefObject<HTMLTableSectionElement | null>
  onClick: (event: MouseEvent<HTMLTableSectionElement>) => void
  onKeyDown: (event: KeyboardEvent<HTMLTableSectionElement>) => void
  onFocus: (event: FocusEvent<HTMLTableSectionElement>) => void
  onBlur: (event: FocusEvent<HTMLTableSectionElement>) => void
}

/**
 * Keyboard navigation in tables. Each row has one tab stop, its main control. Arrow up, arrow down, Home, and End move
 * between rows, arrow left and right between the controls of a row, and Esc closes an open row. If the focused row is
 * removed, the focus moves to the row that took its position. A marked row receives the focus when it appears.
 */
export const useRowFocus = (): RowFocus => {
  const body = useRef<HTMLTableSectionElement>(null)
  const focused = useRef<{ row: Element; at: number }>(undefined)
  const greeted = useRef<Element>(undefined)
  const rows = () => [...(body.current?.querySelectorAll(rowSelector) ?? [])]

  useLayoutEffect(() => {
    const marked = body.current?.querySelector('[data-marked]')
    if (!marked || greeted.current === marked) return
    greeted.current = marked
    marked.scrollIntoView({ block: 'nearest' })
    findPrimary(marked)?.focus({ preventScroll: true })
  })

  useLayoutEffect(() => {
    const lost = focused.current
    if (lost === undefined || lost.row.isConnected) return
    focused.current = undefined
    const hasNoFocus = document.activeElement === null || document.activeElement === document.body
    if (hasNoFocus) findPrimary(rows().at(Math.min(lost.at, rows().length - 1)))?.focus()
  })

  const walkRows = (row: Element, step: (at: number, last: number) => number) => {
    const all = rows()
    return findPrimary(all[step(all.indexOf(row), all.length - 1)])
  }
  const walkControls = (row: Element, from: Element, by: number) => {
    const all = controls(row)
    return all[all.findIndex((control) => control === from) + by]
  }
  const next = (key: string, row: Element, from: Element) => {
    const step = rowSteps[key]
    if (step) return walkRows(row, step)
    if (key === 'ArrowRight' || key === 'ArrowLeft') return walkControls(row, from, key === 'ArrowRight' ? 1 : -1)
    return undefined
  }

  return {
    body,
    onClick: pressRow,
    onKeyDown: (event) => {
      const { key, target } = event
      if (event.defaultPrevented || !(target instanceof Element)) return
      const details = target.closest('tr[data-details]')
      const row = details?.previousElementSibling ?? target.closest(rowSelector)
      if (!row) return
      if (key === 'Escape') {
        const opener = findPrimary(row)
        if (opener?.getAttribute('aria-expanded') !== 'true') return
        event.preventDefault()
        opener.click()
        opener.focus()
        return
      }
      if (details || target.matches('input:not([type=checkbox]), select, textarea, [role^="menu"]')) return
      const nextControl = next(key, row, target)
      if (!nextControl) return
      event.preventDefault()
      nextControl.focus()
    },
    onFocus: ({ target }) => {
      const row = target.closest(rowSelector)
      focused.current = row ? { row, at: rows().indexOf(row) } : undefined
    },
    onBlur: ({ target }) => {
      // Removing an element from the document can also fire blur. The row is still tracked then.
      if (target.isConnected) focused.current = undefined
    },
  }
}

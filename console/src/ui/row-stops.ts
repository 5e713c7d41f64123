import type { KeyboardEvent } from 'react'

/**
 * A row of a list has one tab stop, its name. What else it holds is reached from there as in a grid of the WAI-ARIA
 * practices: arrow right and left walk through the links, buttons and values of the row, in their order, by
 * `walkRow`; a value that takes the focus shows its tip. Outside of rows each is a tab stop of its own.
 */
export interface InRow {
  /** Stands in a row of a list: no tab stop of its own. */
  inRow?: boolean
}

interface StopProps {
  tabIndex: 0 | -1
  'data-row-stop': true | undefined
}

export const stopProps = (inRow = false): StopProps =>
  inRow ? { tabIndex: -1, 'data-row-stop': true } : { tabIndex: 0, 'data-row-stop': undefined }

const stops = 'a[href], button:not([role]), [data-row-stop]'
/** What takes these keys itself. */
const ownKeys = 'input, select, textarea, [role^="menu"], [role="tab"]'

/** Arrow right and left walk through what a row (`data-row`) holds. For `onKeyDown` of whatever holds the rows. */
export const walkRow = (event: KeyboardEvent): void => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const { target } = event
  if (step === undefined || event.defaultPrevented || !(target instanceof Element) || target.matches(ownKeys)) return
  const all = [...(target.closest('[data-row]')?.querySelectorAll<HTMLElement>(stops) ?? [])]
  const shown = all.filter((stop) => stop.checkVisibility())
  const next = shown[shown.findIndex((stop) => stop === target) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

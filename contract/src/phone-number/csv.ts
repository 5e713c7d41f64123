/** Tables for spreadsheets (RFC 4180). */

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** What a spreadsheet would run as a formula; full-width signs count as well. */
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
/** -12.5 and +4477900123 are what they look like. */
const plain = /^(?:[+-]?\d+(?:\.\d+)?|\+[1-9]\d{1,14})$/

const cellOf = (value: unknown): string => {
  const text = textOf(value)
  const safe = formula.test(text) && !plain.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of a table, with its end; no cell is run as a formula by a spreadsheet that opens it. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** Tells Excel that what follows is UTF-8. */
export const csvMark = '\ufeff'

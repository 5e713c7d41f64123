/** CSV output (RFC 4180). */

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** Matches cells that a spreadsheet would execute as a formula, including full-width signs. */
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
/** Matches signed numbers and phone numbers such as -12.5 and +4477900123, which are harmless. */
const plain = /^(?:[+-]?\d+(?:\.\d+)?|\+[1-9]\d{1,14})$/

const formatCell = (value: unknown): string => {
  const text = toText(value)
  const safe = formula.test(text) && !plain.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a CSV line with its line break. Prefixes cells with ' if a spreadsheet would execute them as formulas. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(formatCell).join(',')}\r\n`

/** Byte order mark. Excel reads the file as UTF-8 only if it starts with this character. */
export const csvMark = '\ufeff'

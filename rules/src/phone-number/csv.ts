/** CSV output (RFC 4180). */

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** Matches what a spreadsheet would execute as a formula, including full-width signs, and guarded formulas. */
const formula = /^'*[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/
/** Matches signed numbers and phone numbers such as -12.5 and +4477900123, which are harmless. */
const plain = /^(?:[+-]?\d+(?:\.\d+)?|\+[1-9]\d{1,14})$/
/**
 * Separators of cells and rows in other dialects of CSV. A spreadsheet with a German or French locale separates cells at
 * semicolons and ignores quotation marks within a cell, so it would execute the formula in `a;=1+1`, quoted or not.
 */
const separator = /([;\t\r\n])/

/** Changes the parts of a cell that can be cells in other dialects. */
const changeParts = (cell: string, change: (part: string) => string): string =>
  cell
    .split(separator)
    // The separators are at the odd positions.
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('')

const guardFormulas = (cell: string): string =>
  changeParts(cell, (part) => (formula.test(part) && !plain.test(part.trim()) ? `'${part}` : part))

/** Removes the apostrophes that an export added before formulas. */
export const removeFormulaGuards = (cell: string): string =>
  changeParts(cell, (part) => (part.startsWith("'") && formula.test(part) ? part.slice(1) : part))

const formatCell = (value: unknown): string => {
  const text = guardFormulas(toText(value))
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns a CSV line with its line break. Prefixes cells with ' if a spreadsheet would execute them as formulas, and so
 * the parts of cells between separators of other dialects.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(formatCell).join(',')}\r\n`

/** Byte order mark. Excel reads the file as UTF-8 only if it starts with this character. */
export const csvMark = '\ufeff'

import type { NumberRow } from '@patchbay/contract/phone-number/import'
import { numberDigits } from '@patchbay/contract/phone-number/format'
import { parseCsv } from './csv.ts'

/** The rows of a file of phone numbers: what its columns are called, and how large it may be. */

export const maxRows = 50_000
export const maxBytes = 10_000_000

export interface FileRow extends NumberRow {
  line: number
}

/** The first that is there and not empty counts: a SID goes before a name. */
const headers = {
  number: ['number', 'phone number', 'phone_number'],
  carrier: ['voip_carrier_sid', 'carrier_sid', 'carrier', 'carrier_name'],
  account: ['account_sid', 'account', 'account_name'],
  application: ['application_sid', 'application', 'application_name'],
} as const

/** Of the export, and of no use here. */
const ignored = new Set(['phone_number_sid', 'service_provider_sid'])

type Column = keyof typeof headers

export type FileRead =
  | { is: 'read'; rows: FileRow[]; columns: readonly Column[]; unknown: readonly string[] }
  | { is: 'unreadable'; why: string }

const unreadable = (why: string): FileRead => ({ is: 'unreadable', why })

const placesOf = (names: readonly string[], column: Column): number[] =>
  headers[column].map((header) => names.indexOf(header)).filter((index) => index >= 0)

/** The text of a cell as far as any name is long. */
const maxCharacters = 255

export const readFileRows = (text: string): FileRead => {
  const [first, ...rest] = parseCsv(text)
  if (first === undefined) return unreadable('The file is empty.')
  const names = first.cells.map((cell) => cell.trim().toLowerCase())
  const known = (Object.keys(headers) as Column[]).map((column) => ({ column, indexes: placesOf(names, column) }))
  const isBare = first.cells.length === 1 && numberDigits(first.cells[0] ?? '') !== undefined
  const columns = isBare
    ? [{ column: 'number' as const, indexes: [0] }]
    : known.filter(({ indexes }) => indexes.length > 0)
  if (!columns.some(({ column }) => column === 'number'))
    return unreadable('The first line must name the columns, and one of them must be “number”.')
  const lines = isBare ? [first, ...rest] : rest
  if (lines.length === 0) return unreadable('The file names its columns, and holds no rows.')
  if (lines.length > maxRows)
    return unreadable(
      `The file holds ${lines.length.toLocaleString('en')} rows; ${maxRows.toLocaleString('en')} can be imported at once. Split it.`,
    )
  const rows = lines.map(({ line, cells }): FileRow => {
    const said = columns.map(({ column, indexes }) => {
      const texts = indexes.map((index) => cells[index]?.trim() ?? '')
      return [column, (texts.find((cell) => cell !== '') ?? '').slice(0, maxCharacters)]
    })
    // Every row has the columns of the file, a number among them.
    return { number: '', ...Object.fromEntries(said), line }
  })
  const all = new Set<string>(Object.values(headers).flat())
  const unknown = isBare ? [] : names.filter((name) => name !== '' && !all.has(name) && !ignored.has(name))
  return { is: 'read', rows, columns: columns.map(({ column }) => column), unknown }
}

/** What is chosen for rows that say nothing of it. */
export interface Defaults {
  account_sid: string
  voip_carrier_sid: string
}

export const withDefaults = (row: FileRow, { account_sid, voip_carrier_sid }: Defaults): FileRow => ({
  ...row,
  account: row.account || account_sid || undefined,
  carrier: row.carrier || voip_carrier_sid || undefined,
})

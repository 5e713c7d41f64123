import type { Column, Table } from '../database/columns.ts'
import type { EngineName } from '../database/engine.ts'
import { BackupError } from './backup-error.ts'
import { findColumn, findTable, isPlatformTable } from './known-tables.ts'
import type { BackupHeader } from './manifest.ts'
import type { CellValue } from './row-encoding.ts'

/**
 * Finds the rows of a backup that the schema of a restored database rejects. A platform's database can contain such
 * rows: it has zero dates, values of other programs, and columns of another size.
 */

/** Rows of a column with the same problem. */
export interface RowProblem {
  table: string
  column: string
  /** The end of a sentence that begins with the column. */
  problem: string
  rows: number
  /** The primary key of the first row, such as `account_sid 1234`. */
  example: string
  /** The engines into which these rows cannot be restored. */
  engines: readonly EngineName[]
  /** True for a zero date, which a restore can replace. */
  isZeroDate: boolean
}

type BackupTable = BackupHeader['tables'][number]
type Rejection = Pick<RowProblem, 'problem' | 'engines' | 'isZeroDate'>

const both: readonly EngineName[] = ['sqlite', 'mysql']
const reject = (problem: string, engines: readonly EngineName[] = both): Rejection => ({
  problem,
  engines,
  isZeroDate: false,
})

const isDate = ({ kind }: Column): boolean => kind.is === 'dateTime' || kind.is === 'timestamp'

/** Returns whether a value is a zero date in a column that does not allow NULL. Backups contain zero dates as NULL. */
const isZeroDate = (column: Column, value: CellValue): boolean => value === null && !column.nullable && isDate(column)

const zeroDate: Rejection = {
  problem: 'has no value or a zero date such as 0000-00-00, and the column needs a time',
  engines: both,
  isZeroDate: true,
}

const maxBytes = 2 ** 24 - 1
const sidLength = 36
const int32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n }
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

const isWholeIn = (value: CellValue, { min, max }: { min: bigint; max: bigint }): boolean => {
  if (typeof value === 'bigint') return value >= min && value <= max
  return typeof value === 'number' && Number.isInteger(value) && BigInt(value) >= min && BigInt(value) <= max
}

/** Returns whether an integer column of MySQL takes a number. It rounds fractions, which SQLite stores as they are. */
const fits = (value: CellValue, range: { min: bigint; max: bigint }): boolean =>
  isWholeIn(typeof value === 'number' ? Math.round(value) : value, range)

/** MySQL counts characters, and JavaScript UTF-16 units. */
const isLonger = (value: CellValue, max: number): boolean => {
  const text = String(value)
  return text.length > max && Array.from(text).length > max
}

const checkTime = (value: CellValue, isTimestamp: boolean): Rejection | undefined => {
  const time = Date.parse(String(value))
  if (Number.isNaN(time)) return reject('is not a time', ['mysql'])
  const isInRange = isTimestamp
    ? time >= 1000 && time < 2 ** 31 * 1000
    : time >= Date.UTC(1000, 0) && time < Date.UTC(10_000, 0)
  return isInRange ? undefined : reject('is a time outside of the range of MySQL', ['mysql'])
}

/** Returns why an engine rejects a value of a column. On MySQL, Patchbay's connections use the strict mode. */
const checkValue = (column: Column, value: CellValue): Rejection | undefined => {
  if (value === null) {
    if (column.nullable) return undefined
    return isZeroDate(column, value) ? zeroDate : reject('has no value, and the column needs one')
  }
  const { kind } = column
  switch (kind.is) {
    case 'sid':
      return isLonger(value, sidLength) ? reject(`is longer than ${sidLength} characters`, ['mysql']) : undefined
    case 'text':
      return isLonger(value, kind.max) ? reject(`is longer than ${kind.max} characters`, ['mysql']) : undefined
    case 'longText':
    case 'bytes': {
      const size = value instanceof Uint8Array ? value.length : Buffer.byteLength(String(value))
      return size > maxBytes ? reject(`has more than ${maxBytes} bytes`, ['mysql']) : undefined
    }
    case 'flag':
      return isWholeIn(value, { min: 0n, max: 1n }) ? undefined : reject('is neither 0 nor 1', ['sqlite'])
    case 'integer':
      return fits(value, int32) ? undefined : reject('is no number of 32 bits', ['mysql'])
    case 'bigInteger':
      return fits(value, int64) ? undefined : reject('is no number of 64 bits', ['mysql'])
    case 'real':
      return Number.isFinite(Number(value)) ? undefined : reject('is no finite number', ['mysql'])
    case 'oneOf': {
      if (kind.values.includes(String(value))) return undefined
      const ofMysql = kind.values.some((one) => one.toLowerCase() === String(value).toLowerCase())
      return reject(`is none of ${kind.values.join(', ')}`, ofMysql ? ['sqlite'] : both)
    }
    case 'dateTime':
    case 'timestamp':
      return checkTime(value, kind.is === 'timestamp')
  }
}

/** Lists of columns whose values together are unique. */
const listUniqueKeys = ({ columns, indexes }: Table): (readonly string[])[] => [
  ...Object.entries(columns).flatMap(([name, column]) => (column.primary || column.unique ? [[name]] : [])),
  ...indexes.flatMap((index) => (index.unique ? [index.on] : [])),
]

/** The number of rows of a table that are compared with each other, which bounds the memory. */
const maxCompared = 500_000

const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (capital) => capital.toLowerCase())
/** Approximates the collations of MySQL, which ignore case, accents, and spaces at the end. */
const foldUnicode = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trimEnd()

/** Finds rows with the same unique key. */
class UniqueKeys {
  readonly #columns: readonly string[]
  readonly #positions: readonly number[]
  readonly #exact: readonly boolean[]
  readonly #bySqlite = new Set<string>()
  readonly #byMysql = new Set<string>()

  constructor({ name, columns }: BackupTable, unique: readonly string[]) {
    this.#columns = unique
    this.#positions = unique.map((column) => columns.indexOf(column))
    this.#exact = unique.map((column) => {
      const kind = findColumn(name, column)?.kind
      return kind?.is !== 'text' || kind.exact
    })
  }

  get name(): string {
    return this.#columns.join(' and ')
  }

  add(row: readonly CellValue[]): Rejection | undefined {
    if (this.#bySqlite.size >= maxCompared) return undefined
    const values = this.#positions.map((position) => row[position] ?? null)
    if (values.includes(null)) return undefined
    const toKey = (fold: (text: string) => string) =>
      JSON.stringify(values.map((value, at) => (this.#exact[at] ? String(value) : fold(String(value)))))
    const [key, folded] = [toKey(foldAscii), toKey(foldUnicode)]
    const isRepeated = this.#bySqlite.has(key)
    const isSimilar = this.#byMysql.has(folded)
    this.#bySqlite.add(key)
    this.#byMysql.add(folded)
    if (isRepeated) return reject('has the same value as another row, and must be unique')
    return isSimilar
      ? reject('differs from another row only in case, accents, or spaces at the end, which MySQL may ignore', [
          'mysql',
        ])
      : undefined
  }
}

const describeKey = ({ name, columns }: BackupTable, row: readonly CellValue[]): string => {
  const key = columns.findIndex((column) => findColumn(name, column)?.primary)
  const position = Math.max(key, 0)
  return `${columns[position] ?? ''} ${String(row[position])}`
}

/** Columns that a row needs and that the backup lacks, because the original had none. */
const findMissingColumns = ({ name, columns }: BackupTable): string[] =>
  isPlatformTable(name)
    ? Object.entries(findTable(name)?.columns ?? {}).flatMap(([column, definition]) =>
        definition.nullable || definition.default !== undefined || columns.includes(column) ? [] : [column],
      )
    : []

export interface RowCheck {
  onRows(table: BackupTable, rows: readonly CellValue[][]): void
  /** Returns the problems found, by table and column. */
  problems(): RowProblem[]
}

/**
 * Creates a check of all rows of a backup.
 * @param comparesRows also finds rows of the platform's tables with the same unique key
 */
export const createRowCheck = ({ comparesRows }: { comparesRows: boolean }): RowCheck => {
  const found = new Map<string, RowProblem>()
  let current: { table: string; definitions: (Column | undefined)[]; missing: string[]; keys: UniqueKeys[] } | undefined
  const start = (table: BackupTable) => ({
    table: table.name,
    definitions: table.columns.map((column) => findColumn(table.name, column)),
    missing: findMissingColumns(table),
    keys:
      comparesRows && isPlatformTable(table.name)
        ? listUniqueKeys(findTable(table.name) ?? { columns: {}, indexes: [], optional: false })
            .filter((columns) => columns.every((column) => table.columns.includes(column)))
            .map((columns) => new UniqueKeys(table, columns))
        : [],
  })
  const add = (table: BackupTable, column: string, one: Rejection | undefined, row: readonly CellValue[]): void => {
    if (one === undefined) return
    const key = `${table.name} ${column} ${one.problem}`
    const before = found.get(key)
    if (before) before.rows += 1
    else found.set(key, { table: table.name, column, ...one, rows: 1, example: describeKey(table, row) })
  }
  return {
    onRows(table, rows) {
      if (current?.table !== table.name) current = start(table)
      const { definitions, missing, keys } = current
      for (const row of rows) {
        for (const [position, definition] of definitions.entries())
          if (definition) add(table, table.columns[position] ?? '', checkValue(definition, row[position] ?? null), row)
        for (const column of missing) add(table, column, reject('is missing, and the column needs a value'), row)
        for (const unique of keys) add(table, unique.name, unique.add(row), row)
      }
    },
    problems: () => [...found.values()],
  }
}

const formatRows = (rows: number): string => `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`

/** Describes a problem in a clause: the table, the number of rows, the column, the key of one, and the reason. */
export const describeProblem = ({ table, column, problem, rows, example }: RowProblem): string =>
  `${column} of ${formatRows(rows)} of ${table} ${problem} (for example ${example})`

/** Returns what a restore does with the rows of a problem. */
export const describeOutcome = ({ engines, isZeroDate: isZero }: RowProblem): string => {
  if (isZero) return 'a restore fails, unless --zero-dates states the time to store instead'
  const [engine, ...others] = engines
  if (others.length > 0) return 'every restore fails'
  return engine === 'mysql' ? 'a restore into MySQL or MariaDB fails' : 'a restore into SQLite fails'
}

/**
 * Throws a BackupError if an engine rejects rows.
 * @param replacesZeroDates true if zero dates are replaced
 */
export const assertRestorable = (
  problems: readonly RowProblem[],
  engine: EngineName,
  replacesZeroDates: boolean,
): void => {
  const fatal = problems.filter((one) => one.engines.includes(engine) && !(one.isZeroDate && replacesZeroDates))
  const [first, ...others] = fatal
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` There are ${others.length} more problems.`
  const advice = first.isZeroDate
    ? 'Restore with --zero-dates and the time to store instead, such as --zero-dates 1970-01-01T00:00:00Z.'
    : 'Change them in the original, and back up again.'
  throw new BackupError(
    `The rows of ${first.table} cannot be restored: ${describeProblem(first)}.${more} ${advice} ` +
      'patchbay backup --verify lists all. Nothing was changed.',
  )
}

/** Returns a function that replaces the zero dates of a table's rows, in columns that do not allow NULL. */
export const createZeroDateReplacement =
  (time: string) =>
  ({ name, columns }: BackupTable, rows: readonly CellValue[][]): CellValue[][] => {
    const definitions = columns.map((column) => findColumn(name, column))
    return rows.map((row) =>
      row.map((value, position) => {
        const definition = definitions[position]
        return definition && isZeroDate(definition, value) ? time : value
      }),
    )
  }

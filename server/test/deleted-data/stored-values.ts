import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  isTranscriptIndexTable,
  transcriptIndexTable,
} from '@patchbay/server/call-data/conversations/transcript-index-table'
import { truncateWal } from '@patchbay/server/database/wal-checkpoint'
import { readAllRows, type TableRows } from '@patchbay/testkit/table-rows'
import type { TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import mysql from 'mysql2/promise'
import { inject } from 'vitest'

/** Finds values in all rows of a database, and in the bytes of the files that store them. */

/** Shorter values can be equal to others by chance. */
const minLength = 20
const sliceLength = 24

type Value = string | Buffer
type Row = Readonly<Record<string, unknown>>

/** Returns the text of a stored value, also if it is compressed. */
const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (!(value instanceof Uint8Array)) return ''
  try {
    return gunzipSync(value).toString()
  } catch {
    return Buffer.from(value).toString('latin1')
  }
}

/** Returns the part of a mark to search for. An index does not repeat the first letters that words have in common. */
export const getEnd = (mark: string): string => mark.slice(-16)

/** Returns the tables with a row that contains a mark. */
export const findTables = (rows: TableRows, mark: string): string[] =>
  [...rows].flatMap(([table, ofTable]) => {
    const contains = ofTable.some((row) => Object.values(row).some((value) => toText(value).includes(getEnd(mark))))
    return contains ? [table] : []
  })

/** Returns all rows of all tables. Of the index of SQLite, whose IDs can be too large to read, only the contents. */
export const readStored = async ({ test: { database } }: TestApi): Promise<TableRows> => {
  if (isMysql) return readAllRows(database)
  const rows = new Map(await readAllRows(database, isTranscriptIndexTable))
  const contents = `${transcriptIndexTable}_data`
  rows.set(contents, (await sql<Row>`SELECT block FROM ${sql.table(contents)}`.execute(database.db)).rows)
  return rows
}

/** Returns all texts and bytes in rows that are long enough to be unique. The index of SQLite changes by itself. */
const listValues = (rows: TableRows): Value[] =>
  [...rows].flatMap(([table, ofTable]) =>
    isTranscriptIndexTable(table) && !isMysql
      ? []
      : ofTable.flatMap((row) =>
          Object.values(row).flatMap((value): Value[] => {
            if (value instanceof Uint8Array) return value.length < 2 * minLength ? [] : [Buffer.from(value)]
            return typeof value === 'string' && value.length >= minLength ? [value] : []
          }),
        ),
  )

/** Returns parts of a value, because a database can divide it between two pages. */
const toSlices = (value: Value): Buffer[] => {
  const bytes = Buffer.from(value)
  const last = Math.max(0, bytes.length - sliceLength)
  // The first bytes of compressed data, and its last ones, which contain its length, are those of others too.
  const [start, end] = typeof value === 'string' ? [0, last] : [Math.min(12, last), Math.max(0, last - 4)]
  return [bytes.subarray(start, start + sliceLength), bytes.subarray(end, end + sliceLength)]
}

/** Returns parts of the values that rows contained and that no row contains any more. */
export const findDeletedValues = (before: TableRows, after: TableRows): Buffer[] => {
  const remaining = Buffer.from(
    listValues(after)
      .map((value) => Buffer.from(value).toString('latin1'))
      .join('\n'),
    'latin1',
  )
  const slices = listValues(before).flatMap(toSlices)
  const unique = new Map(slices.map((slice) => [slice.toString('latin1'), slice]))
  return [...unique.values()].filter((slice) => !remaining.includes(slice))
}

const listFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : []

/** MySQL has no setting that overwrites deleted rows. */
export const overwritesDeletedRows = (): boolean => !isMysql || !inject('mariadb').isMysql

/** Returns the folder of the files of the database. */
const getDatabaseFolder = ({ test }: TestApi): string =>
  isMysql
    ? join(dirname(inject('mariadb').socket), 'data', new URL(test.address).pathname.slice(1))
    : dirname(test.address)

/** Writes all changed pages to the files, as a job of Patchbay and the server of the database do after a while. */
const writePages = async (api: TestApi): Promise<void> => {
  const { database, address } = api.test
  if (!isMysql) {
    await truncateWal(database)
    return
  }
  if (!overwritesDeletedRows()) return
  const connection = await mysql.createConnection(address)
  await connection.query(`OPTIMIZE TABLE ${transcriptIndexTable}`)
  await connection.query('SET GLOBAL innodb_log_checkpoint_now = ON')
  await connection.end()
}

/** Returns the files that contain one of these values, in their names or bytes, with the value. */
export const findInFiles = async (api: TestApi, values: readonly Buffer[]): Promise<string[]> => {
  await writePages(api)
  const folders = [...(overwritesDeletedRows() ? [getDatabaseFolder(api)] : []), api.services.configuration.dataDir]
  return folders.flatMap(listFiles).flatMap((path) => {
    const content = Buffer.concat([Buffer.from(path), readFileSync(path)])
    return values
      .filter((value) => content.includes(value))
      .map((value) => `${path.split('/').at(-1)}: ${value.toString('latin1')}`)
  })
}

/** Makes MariaDB overwrite freed pages, as `docs/how-to/delete-call-data.md` recommends. */
export const overwriteFreedPages = async (): Promise<void> => {
  if (!isMysql || !overwritesDeletedRows()) return
  const { port } = inject('mariadb')
  const connection = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' })
  await connection.query('SET GLOBAL innodb_immediate_scrub_data_uncompressed = ON')
  await connection.end()
}

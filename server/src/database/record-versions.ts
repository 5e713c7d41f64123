import { createHmac } from 'node:crypto'
import type { StoredRecord } from '@patchbay/contract/api/endpoint'
import { throwApiError } from '@patchbay/contract/api/errors'
import { findTable } from '@patchbay/contract/api/record-tables'
import type { DependentTable, RecordPart } from '@patchbay/contract/shared/record-table'
import { type Kysely, sql } from 'kysely'
import type { WriteCondition } from '../lib/caller.ts'
import { type EngineName, lockForUpdate } from './engine.ts'
import type { AnyTable, Tables } from './tables.ts'

/**
 * Versions of stored records, for conditional updates (RFC 9110 §13.1.1,
 * docs/decisions/0058-compare-versions-of-stored-records.md). A version covers the rows of a record and of its parts. It
 * depends on neither the caller nor on columns that change on their own.
 */

type Row = Readonly<Record<string, unknown>>

/** The rows of one table of a record. */
interface Rows extends Partial<Pick<DependentTable, 'key' | 'live' | 'references'>> {
  table: string
  rows: readonly Row[]
}

export interface RecordVersions {
  /** Returns the version of a record: a strong entity tag. A record that does not exist has a version, too. */
  read: (stored: StoredRecord, sid: string) => Promise<string>
  /**
   * Compares the current version with those that a request requires. Returns the current version.
   * @param trx the transaction of the write. Absent if the request writes nothing.
   * @throws ApiError `record_changed`
   */
  check: (condition: WriteCondition, trx?: Kysely<Tables>) => Promise<string>
  /** Returns the version after a write, in its transaction. */
  readWritten: (condition: WriteCondition, trx: Kysely<Tables>) => Promise<string>
}

/** Returns the column of a part, and its values: what its rows refer to, or what refers to them. */
const findLink = (part: RecordPart, loaded: readonly Rows[]): { column: string; values: unknown[] } | undefined => {
  if (part.key !== undefined) {
    const values = loaded.flatMap(({ rows, references = {} }) =>
      Object.keys(references)
        .filter((column) => references[column]?.to === part.table)
        .flatMap((column) => rows.map((row) => row[column])),
    )
    return { column: part.key, values: values.filter((value) => value !== null && value !== undefined) }
  }
  for (const [column, { to }] of Object.entries(findTable({ table: part.table })?.references ?? {})) {
    const parent = loaded.find(({ table }) => table === to)
    if (parent?.key !== undefined) return { column, values: parent.rows.map((row) => row[parent.key ?? '']) }
  }
  return undefined
}

const toText = (row: Row, live: readonly string[] = []): string =>
  JSON.stringify(
    Object.entries(row).filter(([column]) => !live.includes(column)),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )

/**
 * @param secret with which versions are hashed: a plain hash would let a caller who knows the other columns guess a
 * masked secret
 * @param missingSchema optional tables that this database lacks
 */
export const createRecordVersions = (
  { reader, engine }: { reader: Kysely<Tables>; engine: EngineName },
  secret: string,
  missingSchema: ReadonlySet<string>,
): RecordVersions => {
  const readRows = async (
    db: Kysely<Tables>,
    table: string,
    isLocked: boolean,
    where?: { column: string; values: readonly unknown[] },
  ): Promise<Row[]> => {
    if (where?.values.length === 0) return []
    const all = db.selectFrom(table as AnyTable).selectAll()
    const some = where === undefined ? all : all.where(sql.ref(where.column), 'in', where.values)
    // The lock makes MySQL read the current rows instead of those at the start of the transaction.
    return (isLocked ? lockForUpdate(engine, some) : some).execute()
  }

  const readVersion = async (
    db: Kysely<Tables>,
    stored: StoredRecord,
    sid: string,
    isLocked: boolean,
  ): Promise<string> => {
    const { table, key } = stored
    const where = key === undefined ? undefined : { column: key, values: [sid] }
    const loaded: Rows[] = [{ ...stored, rows: await readRows(db, table, isLocked, where) }]
    for (const part of (stored.parts ?? []).filter(({ table: name }) => !missingSchema.has(name))) {
      const link = findLink(part, loaded)
      if (link === undefined) throw new Error(`${part.table} is no part of ${table}: neither refers to the other`)
      loaded.push({ ...findTable(part), ...part, rows: await readRows(db, part.table, isLocked, link) })
    }
    const hash = createHmac('sha256', secret)
    for (const { table: name, rows, live } of loaded)
      hash.update(JSON.stringify([name, rows.map((row) => toText(row, live)).toSorted()]))
    return `"${hash.digest('base64url').slice(0, 22)}"`
  }

  return {
    read: (stored, sid) => readVersion(reader, stored, sid, false),
    check: async ({ stored, sid, versions }, trx) => {
      const version = await readVersion(trx ?? reader, stored, sid, trx !== undefined)
      return versions.includes('*') || versions.includes(version) ? version : throwApiError('record_changed')
    },
    readWritten: ({ stored, sid }, trx) => readVersion(trx, stored, sid, true),
  }
}

import { isTranscriptIndexTable } from '../call-data/conversations/transcript-index-table.ts'
import type { Column, Table } from '../database/columns.ts'
import { ownTables } from '../database/patchbay-schema.ts'
import { platformTables } from '../database/platform-schema.ts'

/**
 * The tables that backups contain: all that Patchbay reads, except for the list of backups. Their definitions determine
 * how values are converted.
 */

const { patchbay_audit_latest: _latest, patchbay_backups: _backups, ...own } = ownTables

/** Exists on SQLite only. Its rows are part of the audit trail. */
export const latestAuditTable = 'patchbay_audit_latest'

const knownTables: ReadonlyMap<string, Table> = new Map(Object.entries<Table>({ ...platformTables, ...own }))

/** Lists the files of this installation, which a restored one must not delete. */
const backupListTable = 'patchbay_backups'

/** The tables in which the list of executed migrations is stored. Backups contain that list in their header. */
export const migrationTables: readonly string[] = ['patchbay_migrations', 'patchbay_migrations_lock']

/** Tables that Patchbay creates and that backups do not contain. */
const tablesNotBackedUp: readonly string[] = [...migrationTables, latestAuditTable, backupListTable]

/** Returns the definition of a column, or undefined if this program does not know it. */
export const findColumn = (table: string, column: string): Column | undefined => knownTables.get(table)?.columns[column]

/** Returns the definition of a table, or undefined if this program does not know it. */
export const findTable = (table: string): Table | undefined => knownTables.get(table)

/** Returns whether the platform has defined a table, so that its rows can come from other programs. */
export const isPlatformTable = (table: string): boolean => Object.hasOwn(platformTables, table)

/** Returns whether this program creates or reads a table, on SQLite or on MySQL. */
export const isKnownTable = (table: string): boolean =>
  knownTables.has(table) || table === backupListTable || isTranscriptIndexTable(table)

/** Columns whose default says that the server has to build something again, which backups do not contain. */
const columnsNotBackedUp: readonly string[] = ['patchbay_transcripts.index_version']

export interface BackupTable {
  name: string
  columns: string[]
}

/** Existing columns by table. */
export type ExistingColumns = ReadonlyMap<string, readonly string[]>

/** Returns the tables and columns of a database that a backup contains, and the names of the others. */
export const selectTables = (existing: ExistingColumns): { tables: BackupTable[]; leftOut: string[] } => {
  const tables = [...knownTables].flatMap(([name, { columns }]): BackupTable[] => {
    const present = new Set(existing.get(name))
    const names = Object.keys(columns).filter(
      (column) => present.has(column) && !columnsNotBackedUp.includes(`${name}.${column}`),
    )
    return names.length > 0 ? [{ name, columns: names }] : []
  })
  const leftOut = [...existing].flatMap(([table, columns]) => {
    if (tablesNotBackedUp.includes(table) || isTranscriptIndexTable(table)) return []
    const definition = knownTables.get(table)
    if (definition === undefined) return [table]
    return columns.filter((column) => !(column in definition.columns)).map((column) => `${table}.${column}`)
  })
  return { tables, leftOut }
}

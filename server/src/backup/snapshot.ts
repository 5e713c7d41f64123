import type { EngineName } from '../database/engine.ts'
import type { BackupTable } from './known-tables.ts'
import type { CellValue } from './row-encoding.ts'

/** A consistent state of all tables, as of one moment. It does not block writers. */
export interface Snapshot {
  engine: EngineName
  tables: readonly BackupTable[]
  /** Tables, and columns as table.column, that Patchbay does not know. */
  leftOut: readonly string[]
  /** The names of the executed migrations, in order. */
  migrations: readonly string[]
  isAdopted: boolean
  /** Returns the rows of a table, streamed in the order of its primary key. */
  readRows(table: BackupTable): AsyncIterable<CellValue[]> | Iterable<CellValue[]>
  close(): Promise<void>
}

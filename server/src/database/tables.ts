import type { TableRow } from './columns.ts'
import type { ownTables } from './patchbay-schema.ts'
import type { platformTables } from './platform-schema.ts'

type RowsByTable<T> = { [K in keyof T]: TableRow<T[K]> }

/** The row types of all tables, for Kysely. */
export type Tables = RowsByTable<typeof platformTables> & RowsByTable<typeof ownTables>

/** A table whose name is only known at run time. The compiler needs a single one, which represents all of them. */
export type AnyTable = 'lcr'

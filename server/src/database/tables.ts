import type { TableRow } from './columns.ts'
import type { ownTables } from './patchbay-schema.ts'
import type { platformTables } from './platform-schema.ts'

type TablesOf<T> = { [K in keyof T]: TableRow<T[K]> }

/** Every table, for Kysely. */
export type Tables = TablesOf<typeof platformTables> & TablesOf<typeof ownTables>

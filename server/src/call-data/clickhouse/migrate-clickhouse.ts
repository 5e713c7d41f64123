import { FatalError } from '../../lib/cli.ts'
import type { ClickHouse } from './clickhouse.ts'
import {
  type ExpiringTable,
  expiringTables,
  migrations,
  retentionStatement,
  schemaVersion,
  stateTableStatement,
} from './schema.ts'

/** Names of the state: the schema version, and the retention of each table in days. */
type StateName = 'version' | `retention_${ExpiringTable}`

const readState = async (clickHouse: ClickHouse) => {
  const rows = await clickHouse.query<{ name: string; newest: number; highest: number }>(
    'SELECT name, argMax(value, applied_at) AS newest, max(value) AS highest FROM patchbay_schema GROUP BY name',
    {},
  )
  const find = (name: StateName) => rows.find((row) => row.name === name)
  return {
    version: find('version')?.highest ?? 0,
    getRetention: (table: ExpiringTable) => find(`retention_${table}`)?.newest ?? 0,
  }
}

const note = (clickHouse: ClickHouse, name: StateName, value: number): Promise<void> =>
  clickHouse.command(`INSERT INTO patchbay_schema (name, value) VALUES ('${name}', ${value})`)

/**
 * Creates or updates the tables, and applies the retention.
 * @param retentionDays days after which ClickHouse deletes call data. 0 keeps it
 * @throws FatalError if a newer version of Patchbay has changed the tables
 */
export const migrateClickHouse = async (clickHouse: ClickHouse, retentionDays: number): Promise<void> => {
  await clickHouse.command(stateTableStatement)
  const { version, getRetention } = await readState(clickHouse)
  if (version > schemaVersion)
    throw new FatalError(
      `The tables in ClickHouse (CLICKHOUSE_URL) have version ${version}, and this version of Patchbay supports versions ` +
        `up to ${schemaVersion}. Start the newer version of Patchbay.`,
    )
  for (const [position, statements] of migrations.entries()) {
    if (position < version) continue
    for (const statement of statements) await clickHouse.command(statement)
    await note(clickHouse, 'version', position + 1)
  }
  for (const table of expiringTables) {
    if (getRetention(table) === retentionDays) continue
    await clickHouse.command(retentionStatement(table, retentionDays))
    await note(clickHouse, `retention_${table}`, retentionDays)
  }
}

/** Returns a function that creates the tables once. It tries again after a failure. */
export const createPreparation = (clickHouse: ClickHouse, retentionDays: number): (() => Promise<void>) => {
  let prepared: Promise<void> | undefined
  return () => {
    prepared ??= migrateClickHouse(clickHouse, retentionDays).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}

import { FatalError } from '../../lib/cli.ts'
import type { ClickHouse } from './clickhouse.ts'
import { migrations, retentionStatements, stateTable } from './schema.ts'

const readState = async (clickHouse: ClickHouse) => {
  const rows = await clickHouse.query<{ name: string; newest: number; highest: number }>(
    'SELECT name, argMax(value, applied_at) AS newest, max(value) AS highest FROM patchbay_schema GROUP BY name',
    {},
  )
  const find = (name: string) => rows.find((row) => row.name === name)
  return { version: find('version')?.highest ?? 0, retention: find('retention')?.newest ?? 0 }
}

const note = (clickHouse: ClickHouse, name: 'version' | 'retention', value: number): Promise<void> =>
  clickHouse.command(`INSERT INTO patchbay_schema (name, value) VALUES ('${name}', ${value})`)

/**
 * Creates or updates the tables, and applies the retention.
 * @param retentionDays days after which ClickHouse deletes call records. 0 keeps them
 * @throws FatalError if a newer version of Patchbay has changed the tables
 */
export const migrateClickHouse = async (clickHouse: ClickHouse, retentionDays: number): Promise<void> => {
  await clickHouse.command(stateTable)
  const { version, retention } = await readState(clickHouse)
  if (version > migrations.length)
    throw new FatalError(
      `The tables in ClickHouse (CLICKHOUSE_URL) have version ${version}, and this version of Patchbay supports versions ` +
        `up to ${migrations.length}. Start the newer version of Patchbay.`,
    )
  for (const [position, statements] of migrations.entries()) {
    if (position < version) continue
    for (const statement of statements) await clickHouse.command(statement)
    await note(clickHouse, 'version', position + 1)
  }
  if (retention === retentionDays) return
  for (const statement of retentionStatements(retentionDays)) await clickHouse.command(statement)
  await note(clickHouse, 'retention', retentionDays)
}

import { type Kysely, sql } from 'kysely'
import { buildInfo } from '../lib/build-info.ts'
import type { EngineName } from './engine.ts'
import { migrations, toCurrentName } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** The schema changes that a database contains, and the version of Patchbay that made them. */

export const migrationTable = 'patchbay_migrations'

const versionSetting = 'schema version'

/** Returns the names of the schema changes that a database contains. Its table of migrations must exist. */
export const readAppliedMigrations = async (db: Kysely<Tables>): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(db)
  return rows.map(({ name }) => toCurrentName(name))
}

/** Records the names of this version for the changes that an earlier version has made. */
export const renameMigrations = async (db: Kysely<Tables>): Promise<void> => {
  const recorded = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db)
  const names = new Set(recorded.rows.map(({ name }) => name))
  for (const { name, datedName } of migrations)
    if (datedName !== undefined && names.has(datedName))
      await sql`update ${sql.table(migrationTable)} set name = ${name} where name = ${datedName}`.execute(db)
}

/** Stores that this version of Patchbay changed the schema, for the message of older versions. */
export const storeSchemaVersion = async (db: Kysely<Tables>, engine: EngineName): Promise<void> => {
  const { version: value } = buildInfo
  const row = db.insertInto('patchbay_settings').values({ setting: versionSetting, value })
  await (engine === 'mysql'
    ? row.onDuplicateKeyUpdate({ value })
    : row.onConflict((conflict) => conflict.column('setting').doUpdateSet({ value }))
  ).execute()
}

/**
 * Explains that a newer version of Patchbay has changed the schema of a database. Returns undefined if this version
 * knows all changes.
 */
export const explainNewerSchema = async (
  db: Kysely<Tables>,
  applied: readonly string[],
  ownMigrations: readonly string[],
): Promise<string | undefined> => {
  const unknown = applied.filter((name) => !ownMigrations.includes(name))
  if (unknown.length === 0) return undefined
  const stored = await db
    .selectFrom('patchbay_settings')
    .select('value')
    .where('setting', '=', versionSetting)
    .executeTakeFirst()
  const { version } = buildInfo
  const isNewer = stored !== undefined && stored.value !== version
  return [
    `The database was used by ${isNewer ? `Patchbay ${stored.value}` : 'a newer version of Patchbay'}, and this is`,
    `Patchbay ${version}, which does not know these changes of the schema: ${unknown.join(', ')}.`,
    `Start ${isNewer ? `Patchbay ${stored.value} or later` : 'the newer version'}, or restore a backup from before the`,
    'upgrade. Nothing was changed.',
  ].join(' ')
}

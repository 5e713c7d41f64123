import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describeOutcome, describeProblem } from '@patchbay/server/backup/check-rows'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { restoreBackup, verifyBackup } from '@patchbay/server/backup/restore-backup'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { openDatabase, quotedName } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { isMysql } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import mysql from 'mysql2/promise'
import { beforeAll, describe, expect, test } from 'vitest'
import { fillEveryTable } from './backup-data.ts'
import { createLocations, createSchema, restore } from './backup-locations.ts'

/** Whether a verification of a backup says what a restore does. */

const locations = createLocations('patchbay-verify-')
const none = () => Promise.resolve(undefined)

const verify = async (file: string) => (await verifyBackup(openLocalFile(file), none, false)).problems

/** Changes rows as a program that does not follow the schema can, and returns the backup. */
const backUpAfter = async (statements: readonly string[]): Promise<string> => {
  const source = await locations.create()
  await createSchema(source.database)
  await fillEveryTable(source.database)
  await runWithoutChecks(source, statements)
  const file = locations.newFile()
  await createBackup({ location: source, file: openLocalFile(file), withSecrets: false })
  return file
}

const runWithoutChecks = async ({ database }: StorageLocation, statements: readonly string[]): Promise<void> => {
  if (database.engine === 'sqlite') {
    const file = new DatabaseSync(database.file)
    file.exec('PRAGMA ignore_check_constraints = ON')
    for (const statement of statements) file.exec(statement)
    file.close()
    return
  }
  const connection = await mysql.createConnection(database.url)
  await connection.query("SET SESSION sql_mode = ''")
  for (const statement of statements) await connection.query(statement)
  await connection.end()
}

const readText = async ({ database: address }: StorageLocation, table: string, column: string): Promise<unknown[]> => {
  const database = openDatabase(address, sqliteReader)
  try {
    const { rows } = await sql<{ value: unknown }>`SELECT ${sql.ref(column)} AS value FROM ${sql.table(table)}`.execute(
      database.db,
    )
    return rows.map(({ value }) => value)
  } finally {
    await database.close()
  }
}

test('a backup of rows that fit has no problems', async () => {
  expect(await verify(await backUpAfter([]))).toEqual([])
})

describe.runIf(isMysql)('zero dates of a platform', () => {
  let file: string
  beforeAll(async () => {
    file = await backUpAfter([
      "UPDATE accounts SET created_at = '0000-00-00 00:00:00', trial_end_date = '0000-00-00 00:00:00'",
      "UPDATE applications SET created_at = '2026-00-00 00:00:00' LIMIT 1",
    ])
  })

  test('are named with table, key, and what a restore does', async () => {
    const problems = await verify(file)
    expect(problems.map(({ table, column, rows, isZeroDate }) => [table, column, rows, isZeroDate])).toEqual([
      ['accounts', 'created_at', 4, true],
      ['applications', 'created_at', 1, true],
    ])
    const [first] = problems
    expect(first && describeProblem(first)).toMatch(
      /^created_at of 4 rows of accounts has no value or a zero date such as 0000-00-00.*\(for example account_sid [\da-f-]{36}\)$/,
    )
    expect(first && describeOutcome(first)).toBe(
      'a restore fails, unless --zero-dates states the time to store instead',
    )
  })

  test.each(['sqlite', 'mysql'] as const)(
    'are refused by a restore into %s before it writes, or replaced',
    async (engine) => {
      const target = engine === 'sqlite' ? locations.createSqlite() : await locations.createMysql()
      await expect(restore(file, target)).rejects.toThrow(
        /^The rows of accounts cannot be restored: created_at of 4 rows.*There are 1 more problems\. Restore with --zero-dates.*Nothing was changed\.$/,
      )
      const zeroDates = '1970-01-02T00:00:00.000Z'
      await restoreBackup({ location: target, file: openLocalFile(file), getPassphrase: none, zeroDates })
      const stored = await readText(target, 'accounts', 'created_at')
      expect(stored).toHaveLength(4)
      expect(new Set(stored)).toEqual(new Set([zeroDates]))
      expect(new Set(await readText(target, 'accounts', 'trial_end_date'))).toEqual(new Set([null]))
      expect((await readText(target, 'applications', 'created_at')).filter((one) => one === zeroDates)).toHaveLength(1)
    },
  )
})

test('each row that the other engine rejects is named, and the engine of the original stores it', async () => {
  const long = 'x'.repeat(300)
  const file = await backUpAfter(
    isMysql
      ? ['UPDATE accounts SET is_active = 7 LIMIT 1']
      : [
          `UPDATE accounts SET name = '${long}' WHERE rowid = 1`,
          "UPDATE accounts SET created_at = 'yesterday' WHERE rowid = 2",
          'UPDATE accounts SET device_to_call_ratio = 5000000000 WHERE rowid = 3',
        ],
  )
  const problems = await verify(file)
  expect(problems.map(({ column, problem, engines, rows }) => [column, problem, engines, rows])).toEqual(
    isMysql
      ? [['is_active', 'is neither 0 nor 1', ['sqlite'], 1]]
      : [
          ['name', 'is longer than 64 characters', ['mysql'], 1],
          ['created_at', 'is not a time', ['mysql'], 1],
          ['device_to_call_ratio', 'is no number of 32 bits', ['mysql'], 1],
        ],
  )
  for (const problem of problems) expect(problem.example).toMatch(/^account_sid [\da-f-]{36}$/)
  // The engine of the original stores them again.
  await restore(file, await locations.create())
})

test.runIf(isMysql)('a restore into SQLite refuses a flag that is neither 0 nor 1', async () => {
  const file = await backUpAfter(['UPDATE accounts SET is_active = 7 LIMIT 1'])
  await expect(restore(file, locations.createSqlite())).rejects.toThrow(/is_active of 1 row of accounts is neither/)
})

test.runIf(!isMysql)('values outside of an enumeration are rejected by every restore', async () => {
  const file = await backUpAfter(["UPDATE webhooks SET method = 'PATCH' WHERE rowid = 1"])
  const [problem, ...others] = await verify(file)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ table: 'webhooks', column: 'method', engines: ['sqlite', 'mysql'] })
  expect(problem && describeOutcome(problem)).toBe('every restore fails')
  await expect(restore(file, locations.createSqlite())).rejects.toThrow(/method of 1 row of webhooks is none of/)
})

test('rows with the same unique key are named, also if only MySQL takes them for equal', async () => {
  const sids = [randomUUID(), randomUUID()]
  const table = quotedName(isMysql ? 'mysql' : 'sqlite', 'service_providers')
  const insert = (sid: string | undefined, name: string) =>
    `INSERT INTO ${table} (service_provider_sid, name) VALUES ('${sid ?? ''}', '${name}')`
  const file = await backUpAfter(
    isMysql
      ? // An adopted table can lack the index.
        ['ALTER TABLE service_providers DROP INDEX name', insert(sids[0], 'Twin'), insert(sids[1], 'twin')]
      : [insert(sids[0], 'Zürich'), insert(sids[1], 'zurich')],
  )
  expect(await verify(file)).toMatchObject([
    {
      table: 'service_providers',
      column: 'name',
      example: `service_provider_sid ${isMysql ? [...sids].toSorted()[1] : sids[1]}`,
      engines: isMysql ? ['sqlite', 'mysql'] : ['mysql'],
    },
  ])
})

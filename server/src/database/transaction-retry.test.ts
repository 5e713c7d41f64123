import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, inTransaction } from './engine.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { SqliteFile } from './sqlite-file.ts'
import type { Tables } from './tables.ts'

/** Conflicting transactions, on SQLite with the errors that MySQL and MariaDB report. */

let folder: string
let db: Kysely<Tables>

const databaseError = (code: string) => Object.assign(new Error('a message of the database'), { code })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-retry-'))
  const path = join(folder, 'test.sqlite')
  const files = { writer: new SqliteFile(path), reader: new SqliteFile(path, { readOnly: true }) }
  db = new Kysely<Tables>({ dialect: sqliteDialect(files) })
  await sql`create table written (attempt integer)`.execute(db)
})
afterEach(async () => {
  await db.destroy()
  rmSync(folder, { recursive: true })
})

/** Inserts a row and fails with the code as long as `mustFail` returns true. Returns the number of attempts. */
const write = async (code: string, mustFail: (attempt: number) => boolean): Promise<number> => {
  let attempt = 0
  const database: Pick<Database, 'db'> = { db }
  return inTransaction(database, async (trx) => {
    attempt += 1
    await sql`insert into written values (${attempt})`.execute(trx)
    if (mustFail(attempt)) throw databaseError(code)
    return attempt
  })
}

const readRows = async () => (await sql<{ attempt: number }>`select attempt from written`.execute(db)).rows

test.for(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT'])('repeats the whole transaction after %s', async (code) => {
  expect(await write(code, (attempt) => attempt < 12)).toBe(12)
  expect(await readRows()).toEqual([{ attempt: 12 }])
})

test('gives up after ten seconds, with the error of the last attempt', async () => {
  const now = vi.spyOn(performance, 'now')
  const startedAt = performance.now()
  let attempts = 0
  const failing = write('ER_LOCK_DEADLOCK', (attempt) => {
    attempts = attempt
    now.mockReturnValue(startedAt + attempt * 3000)
    return true
  })
  try {
    await expect(failing).rejects.toMatchObject({ code: 'ER_LOCK_DEADLOCK' })
  } finally {
    now.mockRestore()
  }
  expect(attempts).toBe(4)
  expect(await readRows()).toEqual([])
})

test.for(['ER_DUP_ENTRY', 'ECONNRESET'])('does not repeat after %s', async (code) => {
  await expect(write(code, () => true)).rejects.toMatchObject({ code })
  expect(await readRows()).toEqual([])
})

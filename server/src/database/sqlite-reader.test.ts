import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { classifyDbError } from './engine.ts'
import { SqliteFile } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-reader-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('retries to open the file with the next query', async () => {
  const path = join(folder, 'late.sqlite')
  const reader = new Kysely({ dialect: sqliteReader(path) })
  const ask = () => sql<{ answer: number }>`SELECT 42 AS answer`.execute(reader)
  const failure = await ask().catch((error: unknown) => classifyDbError(error)?.fault)
  expect(failure).toBe('unreachable')
  const file = new SqliteFile(path)
  expect((await ask()).rows).toEqual([{ answer: 42 }])
  await reader.destroy()
  file.close()
})

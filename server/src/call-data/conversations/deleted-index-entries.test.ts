import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, inTransaction, openDatabase } from '../../database/engine.ts'
import { sqliteReader } from '../../database/sqlite-reader.ts'
import { truncateWal } from '../../database/wal-checkpoint.ts'
import { removeDeletedEntries } from './deleted-index-entries.ts'
import { addToIndex, removeFromIndex } from './transcript-index.ts'
import { createTranscriptIndex } from './transcript-index-table.ts'

let folder: string
let database: Database

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-index-'))
  database = openDatabase({ engine: 'sqlite', file: join(folder, 'test.sqlite') }, sqliteReader)
  await createTranscriptIndex(database.db, 'sqlite')
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const createMark = (): string => randomBytes(12).toString('hex')

/** Adds a transcript with a word, in a transaction of its own, which creates a part of the index. */
const add = (transcript_id: number, word: string) => {
  const text = [word, ...Array.from({ length: 100 }, createMark)].join(' ')
  const transcript = { transcript_id, account_sid: 'account', service_provider_sid: null, application_sid: null }
  return inTransaction(database, (trx) =>
    addToIndex(trx, 'sqlite', [{ ...transcript, turns: [{ speaker: 'caller' as const, text }] }]),
  )
}

const isStored = async (word: string): Promise<boolean> => {
  await truncateWal(database)
  return readFileSync(join(folder, 'test.sqlite')).includes(word.slice(-16))
}

test('removes the words of deleted transcripts in steps, while others are added', async () => {
  const marks = Array.from({ length: 300 }, createMark)
  for (const [id, word] of marks.entries()) await add(id, word)
  const deleted = [0, 150, 299]
  await inTransaction(database, (trx) => removeFromIndex(trx, 'sqlite', deleted))
  let steps = 1
  for (; await removeDeletedEntries(database); steps += 1) await add(1000 + steps, createMark())
  expect(steps).toBeGreaterThan(5)
  const stored = await Promise.all(marks.map(isStored))
  expect(stored.flatMap((isFound, id) => (isFound ? [] : [id]))).toEqual(deleted)
  expect(await removeDeletedEntries(database)).toBe(false)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteError, SqliteFile } from './sqlite-file.ts'

/** Properties of SQLite that the server relies on, on the main thread and in reader threads. */

let folder: string
let path: string
let file: SqliteFile

const run = (text: string, ...values: unknown[]) => file.prepare(text).run(values)
const all = (text: string, ...values: unknown[]) => file.prepare(text).all(values)

/** Returns the error of an operation, or undefined if it succeeds. */
const catchError = (work: () => unknown): { code: string; message: string } | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof SqliteError) return { code: error.code, message: error.message }
    throw error
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-sqlite-'))
  path = join(folder, 'test.sqlite')
  file = new SqliteFile(path)
  run('CREATE TABLE parents (name TEXT PRIMARY KEY) WITHOUT ROWID')
  run('CREATE TABLE children (id INTEGER PRIMARY KEY, mark TEXT UNIQUE, parent TEXT REFERENCES parents (name))')
  run("INSERT INTO parents VALUES ('one')")
})

afterEach(() => {
  file.close()
  rmSync(folder, { recursive: true })
})

test('prepares a statement once', () => {
  expect(file.prepare('SELECT 1')).toBe(file.prepare('SELECT 1'))
  expect(file.prepare('SELECT 1')).not.toBe(file.prepare('SELECT 2'))
})

test('a cached statement works after the tables have changed', () => {
  run("INSERT INTO children VALUES (1, 'a', 'one')")
  expect(all('SELECT mark FROM children')).toEqual([['a']])
  run('ALTER TABLE children ADD COLUMN later INTEGER DEFAULT 7')
  run('CREATE INDEX by_parent ON children (parent)')
  expect(all('SELECT mark FROM children')).toEqual([['a']])
})

test('inserts a row whose ID is no exact JavaScript number', () => {
  const id = 2n ** 53n + 1n
  expect(run('INSERT INTO children VALUES (?, NULL, NULL)', id)).toEqual({ changes: 1n, lastInsertRowid: id })
  expect(run('INSERT INTO children VALUES (NULL, NULL, NULL)')).toMatchObject({ lastInsertRowid: id + 1n })
})

test('runs more different statements than the cache holds', () => {
  const answers = Array.from({ length: 1200 }, (_, position) => all(`SELECT ${position}`))
  expect(answers.flat(2)).toEqual(Array.from({ length: 1200 }, (_, position) => position))
})

test('returns rows by position, even if two columns have the same name', () => {
  const { names, all: rows } = file.prepare("SELECT 1 AS a, 'x' AS b, NULL AS a, 2.5 AS d")
  expect(names).toEqual(['a', 'b', 'a', 'd'])
  expect(rows([])).toEqual([[1, 'x', null, 2.5]])
  expect(file.prepare("INSERT INTO parents VALUES ('two')").names).toEqual([])
  expect(file.prepare("INSERT INTO parents VALUES ('three') RETURNING name").names).toEqual(['name'])
})

test('returns the number of changed rows', () => {
  expect(run("INSERT INTO parents VALUES ('two'), ('three')")).toMatchObject({ changes: 2n })
  expect(run("INSERT INTO parents VALUES ('two') ON CONFLICT DO NOTHING")).toMatchObject({ changes: 0n })
})

test('returns safe integers exactly and rejects larger ones', () => {
  const exact = [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
  run('CREATE TABLE numbers (value INTEGER)')
  for (const value of exact) run('INSERT INTO numbers VALUES (?)', value)
  expect(all('SELECT value FROM numbers ORDER BY rowid').flat()).toEqual(exact)
  run('INSERT INTO numbers VALUES (?)', 2n ** 53n + 1n)
  expect(() => all('SELECT value FROM numbers')).toThrow(/too large/)
  expect(all('SELECT CAST(MAX(value) AS TEXT) FROM numbers')).toEqual([['9007199254740993']])
})

test('stores texts of any script, with line ends and of a megabyte, unchanged', () => {
  for (const text of ['Жук 電話 🎧', 'a\r\nb', "'; DROP TABLE parents; --", 'x'.repeat(2 ** 20), ''])
    expect(all('SELECT ?', text)).toEqual([[text]])
})

test.each([
  ['SQLITE_CONSTRAINT_PRIMARYKEY', "INSERT INTO parents VALUES ('one')", /failed: parents\.name/],
  ['SQLITE_CONSTRAINT_UNIQUE', "INSERT INTO children (mark) VALUES ('m'), ('m')", /failed: children\.mark/],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', "INSERT INTO children (parent) VALUES ('nobody')", /FOREIGN KEY/],
  ['SQLITE_1', 'SELECT * FROM nowhere', /no such table/],
])('an error has its SQLite code: %s', (code, text, message) => {
  expect(catchError(() => run(text))).toEqual({ code, message: expect.stringMatching(message) })
})

test('rejects a value that SQLite cannot store', () => {
  expect(() => all('SELECT ?', undefined)).toThrow(/cannot be bound/)
  for (const value of [new Date(), {}, [], { 1: 'named' }]) {
    expect(() => all('SELECT ?', value)).toThrow('cannot be bound')
    expect(() => all('SELECT ?, ?', 1, value)).toThrow('cannot be bound')
  }
})

test('binds bytes as the first parameter', () => {
  const bytes = new Uint8Array([1, 2, 255])
  expect(all('SELECT hex(?) AS hex, length(?) AS length', bytes, bytes)).toEqual([['0102FF', 3]])
})

test('a rollback also removes tables created in the transaction', () => {
  run('BEGIN')
  expect(file.inTransaction).toBe(true)
  run('CREATE TABLE made (id INTEGER)')
  run("INSERT INTO parents VALUES ('two')")
  run('ROLLBACK')
  expect(file.inTransaction).toBe(false)
  expect(all('SELECT name FROM sqlite_schema WHERE name = ?', 'made')).toEqual([])
  expect(all('SELECT * FROM parents')).toEqual([['one']])
})

test('a reader sees committed data and cannot write', () => {
  const reader = new SqliteFile(path, { readOnly: true })
  try {
    run('BEGIN')
    run("INSERT INTO parents VALUES ('two')")
    expect(reader.prepare('SELECT count(*) FROM parents').all([])).toEqual([[1]])
    run('COMMIT')
    expect(reader.prepare('SELECT count(*) FROM parents').all([])).toEqual([[2]])
    const writing = catchError(() => reader.prepare("INSERT INTO parents VALUES ('three')").run([]))
    expect(writing?.code).toBe('SQLITE_READONLY')
  } finally {
    reader.close()
  }
})

test('a reader does not create a missing file', () => {
  const opening = catchError(() => new SqliteFile(join(folder, 'nowhere.sqlite'), { readOnly: true }))
  expect(opening?.code).toBe('SQLITE_CANTOPEN')
})

/** Holds the write lock for the given number of milliseconds after it has sent a message. */
const holderScript = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const other = new DatabaseSync(workerData.path)
  other.exec("BEGIN IMMEDIATE; INSERT INTO parents VALUES ('theirs')")
  parentPort.postMessage('held')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.milliseconds)
  other.exec('COMMIT')
  other.close()
`

test.each([
  ['shortly', 200, undefined],
  ['too long', 8000, 'SQLITE_BUSY'],
])('a write waits for the lock of another connection, %s', async (_, milliseconds, errorCode) => {
  const worker = new Worker(holderScript, { eval: true, workerData: { path, milliseconds } })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  await new Promise((resolve) => worker.once('message', resolve))
  expect(catchError(() => run("INSERT INTO parents VALUES ('ours')"))?.code).toBe(errorCode)
  await ended
  const expectedNames = errorCode === undefined ? ['one', 'ours', 'theirs'] : ['one', 'theirs']
  expect(all('SELECT name FROM parents ORDER BY name').flat()).toEqual(expectedNames)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqliteDialect } from './sqlite-dialect.ts'
import { SqliteFile } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'

interface Books {
  books: { id: number; title: string; shelf: string }
}

let folder: string
let file: SqliteFile
let db: Kysely<Books>
let reader: Kysely<Books>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-compiler-'))
  const path = join(folder, 'test.sqlite')
  file = new SqliteFile(path)
  db = new Kysely({ dialect: sqliteDialect({ writer: file, reader: new SqliteFile(path) }) })
  await sql`create table books (id integer primary key, title text collate nocase, shelf text)`.execute(db)
  await sql`create index books_title on books (title)`.execute(db)
  reader = new Kysely({ dialect: sqliteReader(path) })
})
afterAll(async () => {
  await db.destroy()
  await reader.destroy()
  rmSync(folder, { recursive: true })
})

const findBook = (from: Kysely<Books>) =>
  from
    .selectFrom('books')
    .innerJoin('books as other', 'other.shelf', 'books.shelf')
    .select('books.title')
    .where('books.id', '=', 7)
    .where('other.id', 'in', [1, 2])
    .where(sql<boolean>`other.title = ${'x'}`)

interface CompiledText {
  sql: string
  parameters: readonly unknown[]
}

const getPlan = ({ sql: text, parameters }: CompiledText): string =>
  file
    .prepare(`explain query plan ${text}`)
    .all(parameters)
    .map((row) => row.at(-1))
    .join('; ')

test('no parameter of a comparison can be read for the plan, on the main thread and on readers', () => {
  for (const from of [db, reader]) {
    const { sql: text, parameters } = findBook(from).compile()
    expect(parameters).toEqual([7, 1, 2, 'x'])
    expect(text.match(/.\?/g)).toEqual(['+?', '+?', '+?', '+?'])
  }
})

test('indexes and collations are used as without the plus', async () => {
  await db.insertInto('books').values({ id: 7, title: 'Moby Dick', shelf: 'A' }).execute()
  const byTitle = db.selectFrom('books').select('id').where('title', '=', 'MOBY DICK')
  expect(await byTitle.execute()).toEqual([{ id: 7 }])
  expect(getPlan(byTitle.compile())).toBe('SEARCH books USING COVERING INDEX books_title (title=?)')
  const byId = db.selectFrom('books').select('shelf').where(sql<boolean>`id = ${'7'}`)
  expect(await byId.execute()).toEqual([{ shelf: 'A' }])
  expect(getPlan(byId.compile())).toBe('SEARCH books USING INTEGER PRIMARY KEY (rowid=?)')
})

test('the beginning of a pattern is searched in an index', async () => {
  const byPattern = db.selectFrom('books').select('id').where('title', 'like', 'MO%').where('id', '<', 9).limit(3)
  expect(await byPattern.execute()).toEqual([{ id: 7 }])
  expect(getPlan(byPattern.compile())).toMatch(/USING COVERING INDEX books_title \(title>\? AND title<\?/)
})

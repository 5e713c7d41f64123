import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as later } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sqliteDialect } from './sqlite-dialect.ts'
import { SqliteFile } from './sqlite-file.ts'

let folder: string
let db: Kysely<{ marks: { mark: string } }>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-dialect-'))
  const path = join(folder, 'test.sqlite')
  db = new Kysely({
    dialect: sqliteDialect({ writer: new SqliteFile(path), reader: new SqliteFile(path, { readOnly: true }) }),
  })
  await db.schema
    .createTable('marks')
    .addColumn('mark', 'text', (column) => column.unique())
    .execute()
})
afterEach(async () => {
  await db.destroy()
  rmSync(folder, { recursive: true })
})

const marks = async (from: Pick<typeof db, 'selectFrom'> = db): Promise<string[]> =>
  (await from.selectFrom('marks').select('mark').orderBy('mark').execute()).map(({ mark }) => mark)

const add = (mark: string, to: Pick<typeof db, 'insertInto'> = db) => to.insertInto('marks').values({ mark }).execute()

test('reads do not wait for transactions and see only committed data', async () => {
  await db.transaction().execute(async (trx) => {
    await add('a', trx)
    expect(await marks()).toEqual([])
    expect(await marks(trx)).toEqual(['a'])
  })
  expect(await marks()).toEqual(['a'])
})

test('transactions and single writes run one after another, and other work runs in between', async () => {
  const order: string[] = []
  const inTransaction = (name: string) =>
    db.transaction().execute(async (trx) => {
      order.push(`${name} begins`)
      await later()
      await add(name, trx)
      order.push(`${name} ends`)
    })
  let rounds = 0
  let working = true
  const count = () => {
    rounds += 1
    if (working) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all([inTransaction('a'), add('b').then(() => order.push('b')), inTransaction('c')])
  working = false
  expect(order).toEqual(['a begins', 'a ends', 'b', 'c begins', 'c ends'])
  expect(rounds).toBeGreaterThanOrEqual(3)
})

test('continues with the next write after a failure', async () => {
  await add('a')
  const failed = await Promise.allSettled([
    add('a'),
    db.transaction().execute((trx) => add('a', trx)),
    db.transaction().execute(async (trx) => {
      await add('b', trx)
      throw new Error('no')
    }),
    add('c'),
  ])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
  expect(await marks()).toEqual(['a', 'c'])
})

import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type CallRow, toCallRow } from '@patchbay/server/call-data/clickhouse/call-rows'
import { createCallTable } from '@patchbay/server/call-data/clickhouse/call-table'
import { type ClickHouse, createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { openSpool } from '@patchbay/server/call-data/clickhouse/spool'
import { createTableWriter } from '@patchbay/server/call-data/clickhouse/table-writer'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callRecord, nanosecondsAt } from '../test/fixtures.ts'

/** A row that ClickHouse rejects stays in one file, and the other rows of its batch are stored once, whatever else fails. */

let database: ClickHouseDatabase
let api: TestApi
let clickHouse: ClickHouse
let account_sid: string
let folder: string

beforeAll(async () => {
  database = await createClickHouseDatabase()
  api = await createTestApi(database.settings)
  const { clickHouse: address } = api.services.configuration
  if (address === null) throw new Error('ClickHouse is not configured')
  clickHouse = await createClickHouse(address)
})

beforeEach(() => {
  account_sid = randomUUID()
  folder = join(api.services.configuration.dataDir, randomUUID())
})

afterAll(async () => {
  await clickHouse.close()
  await api.close()
  await database.drop()
})

/** Returns nine rows. ClickHouse rejects the fifth one. */
const createRows = () =>
  Array.from({ length: 9 }, (_, position) => {
    const time = nanosecondsAt(Date.parse('2026-03-01T00:00:00Z') + position)
    const row = { ...toCallRow(callRecord(account_sid, { call_sid: randomUUID(), time })), post_dial_delay: null }
    return position === 4 ? { ...row, answered: 'perhaps' as never } : row
  })

const openCallSpool = () => openSpool<CallRow & { post_dial_delay: null }>(folder, 1_000_000)

const addBatch = async () => {
  const spool = await openCallSpool()
  await spool.add({ token: randomUUID(), isCompared: false, rows: createRows() })
  spool.close()
}

interface Faults {
  /** Called before each insert. */
  onInsert?: () => void
  onDrained?: () => Promise<void>
}

/** Starts a writer that stores the batches of the folder. It expects that ClickHouse has forgotten each token. */
const startWriter = async ({ onInsert, onDrained }: Faults = {}) => {
  const spool = await openCallSpool()
  const faulty: ClickHouse = {
    ...clickHouse,
    async insert(...args) {
      onInsert?.()
      await clickHouse.insert(...args)
    },
  }
  const table = createCallTable(api.test.database)
  const options = { table, clickHouse: faulty, prepare: () => Promise.resolve(), spool, log: api.app.log, tokenMs: -1 }
  const writer = createTableWriter({ ...options, ...(onDrained === undefined ? {} : { onDrained }) })
  return { writer, spool }
}

const listRejected = () => readdirSync(join(folder, '1')).filter((name) => name.endsWith('.rejected'))

const countRows = async () => {
  const text = await database.query(
    `SELECT (SELECT count() FROM calls WHERE account_sid = '${account_sid}'),
      (SELECT sum(calls) FROM call_hours WHERE owner_sid = '${account_sid}') FORMAT TabSeparated`,
  )
  return text.trim().split('\t').map(Number)
}

test('a row that is rejected again after a failure of its batch replaces its file', async () => {
  await addBatch()
  let failures = 0
  const { writer, spool } = await startWriter({
    onDrained: async () => {
      failures += 1
      if (failures === 1) throw new Error('the database is busy')
    },
  })
  await expect.poll(() => spool.isEmpty).toBe(true)
  await writer.close()
  expect(failures).toBeGreaterThan(1)
  expect(listRejected()).toHaveLength(1)
  expect(await countRows()).toEqual([8, 8])
})

// The batch, its halves, and so on down to the rejected row are seven inserts.
test.each([1, 2, 3, 4, 5, 6, 7])('all other rows are stored once if insert %i and the process fail', async (last) => {
  await addBatch()
  let inserts = 0
  const { writer } = await startWriter({
    onInsert() {
      inserts += 1
      if (inserts >= last) throw new Error('ClickHouse does not respond')
    },
  })
  await expect.poll(() => inserts).toBeGreaterThanOrEqual(last)
  await writer.close()
  const next = await startWriter()
  await expect.poll(() => next.spool.isEmpty).toBe(true)
  await next.writer.close()
  expect(listRejected()).toHaveLength(1)
  expect(await countRows()).toEqual([8, 8])
})

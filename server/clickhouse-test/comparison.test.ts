import { randomUUID } from 'node:crypto'
import { ApiError } from '@patchbay/contract/api/errors'
import { toCallRow } from '@patchbay/server/call-data/clickhouse/call-rows'
import { createCallTable } from '@patchbay/server/call-data/clickhouse/call-table'
import { type ClickHouse, createClickHouse, toApiError } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { messageTable, toMessageRow } from '@patchbay/server/call-data/clickhouse/clickhouse-captures'
import { logTable, toLogRow } from '@patchbay/server/call-data/clickhouse/clickhouse-logs'
import { StatementError } from '@patchbay/server/call-data/clickhouse/run-statement'
import type { StoredTable } from '@patchbay/server/call-data/clickhouse/stored-table'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRecord, nanosecondsAt, seenMessage } from '../test/fixtures.ts'

/** Rows are compared with those that ClickHouse has, whatever they contain, and however many there are. */

let database: ClickHouseDatabase
let api: TestApi
let clickHouse: ClickHouse
let callTable: ReturnType<typeof createCallTable>

beforeAll(async () => {
  database = await createClickHouseDatabase()
  api = await createTestApi(database.settings)
  const { clickHouse: address } = api.services.configuration
  if (address === null) throw new Error('ClickHouse is not configured')
  clickHouse = await createClickHouse(address)
  callTable = createCallTable(api.test.database)
})

afterAll(async () => {
  await clickHouse.close()
  await api.close()
  await database.drop()
})

const start = Date.parse('2026-03-02T00:00:00Z')
const hostileText = `a'),('\\'\\\\\n\t\0]"😀, 1)] -- {x:String}`

const createCallRow = (account_sid: string, at: number, call_sid = randomUUID()) =>
  toCallRow(callRecord(account_sid, { call_sid, time: nanosecondsAt(at) }))

/** Returns ClickHouse with a limit of the rows of a query, and the statements that it has received. */
const limitRows = (maxRows: number, countRows: (statement: string) => number) => {
  const statements: string[] = []
  const limited: ClickHouse = {
    ...clickHouse,
    query(statement, parameters, signal) {
      statements.push(statement)
      if (countRows(statement) <= maxRows) return clickHouse.query(statement, parameters, signal)
      return Promise.reject(
        toApiError(new StatementError('Code: 158. DB::Exception: too many rows', undefined), signal),
      )
    },
  }
  return { limited, statements }
}

const tables: Record<string, { create: (id: string, position: number) => object; table: () => StoredTable<never> }> = {
  calls: { create: (id, position) => createCallRow(id, start + position), table: () => callTable as never },
  sip_messages: {
    create: (id, position) => toMessageRow(seenMessage(id, { at: start * 1000 + position }), Date.now(), position),
    table: () => messageTable as never,
  },
  log_parts: {
    create: (id, position) => toLogRow(id, [`line ${position} of ${id}`], Date.now()),
    table: () => logTable as never,
  },
}

test.each(Object.entries(tables))(
  'rows of %s with any text are recognized, and other rows are missing',
  async (name, { create, table }) => {
    const ids = [hostileText, `${hostileText}'`, randomUUID(), '']
    const stored = ids.flatMap((id) => [1, 2, 3].map((position) => create(id, position)))
    const fresh = ids.flatMap((id) => [4, 5].map((position) => create(id, position)))
    await clickHouse.insert(name, stored, randomUUID())
    expect(await table().compare(clickHouse, [...stored, ...fresh] as never[])).toEqual({ missing: fresh, excess: [] })
  },
)

test.each(Object.entries(tables))(
  'rows of %s are compared in smaller numbers if a query exceeds a limit',
  async (name, { create, table }) => {
    const id = randomUUID()
    const rows = Array.from({ length: 21 }, (_, position) => create(id, position))
    const stored = rows.filter((_, position) => position % 3 === 0)
    await clickHouse.insert(name, stored, randomUUID())
    // Each row has a text of its own, or a time of its own.
    const countRows = (statement: string) => {
      const [, list = ''] = /IN (?:CAST)?\((.*)\)/.exec(statement) ?? []
      return list.split(',').length / (statement.includes('CAST') ? 2 : 1)
    }
    const { limited, statements } = limitRows(3.5, countRows)
    const { missing, excess } = await table().compare(limited, rows as never[])
    expect({ missing, excess }).toEqual({ missing: rows.filter((row) => !stored.includes(row)), excess: [] })
    expect(statements.length).toBeGreaterThan(8)
    const { limited: closed, statements: refused } = limitRows(0, () => 1)
    await expect(table().compare(closed, rows as never[])).rejects.toBeInstanceOf(ApiError)
    // The first 21, 10, 5, and 2 rows are tried, and then the first row.
    expect(refused).toHaveLength(5)
  },
)

test('a failure of ClickHouse that is no limit is not repeated with fewer rows', async () => {
  let queries = 0
  const failing: ClickHouse = {
    ...clickHouse,
    query(_statement, _parameters, signal) {
      queries += 1
      return Promise.reject(toApiError(new Error('connection refused'), signal))
    },
  }
  const rows = Array.from({ length: 20 }, (_, position) => createCallRow('account', start + position))
  await expect(callTable.compare(failing, rows)).rejects.toMatchObject({ code: 'unavailable' })
  expect(queries).toBe(1)
})

test('calls are compared by the primary key, without the calls of an account at the times of another one', async () => {
  const accounts = [randomUUID(), randomUUID()] as const
  const days = 20
  for (const account of accounts)
    await database.query(
      `INSERT INTO calls (account_sid, attempted_at, call_key, service_provider_sid, extra)
       SELECT '${account}', ${nanosecondsAt(start)} + number * ${(days * 86_400_000_000_000) / 200_000}, toString(number), toString(number % 50), ''
       FROM numbers(200000)`,
    )
  await database.query('OPTIMIZE TABLE calls FINAL')
  const { limited, statements } = limitRows(Infinity, () => 0)
  const at = (share: number) => start + share * days * 86_400_000
  // Five calls of the first account are in the first half of the time, and five of the other one in the second half.
  const rows = accounts.flatMap((account, half) =>
    [0.05, 0.15, 0.25, 0.35, 0.45].map((share) => createCallRow(account, at(share + half / 2))),
  )
  expect((await callTable.compare(limited, rows)).missing).toEqual(rows)
  const explained = await database.query(`EXPLAIN indexes = 1 ${statements[0]} FORMAT TabSeparatedRaw`)
  const granules = [...explained.matchAll(/Granules: (\d+)\/(\d+)/g)].map(([, selected, all]) => [
    Number(selected),
    Number(all),
  ])
  // Each call is in one granule. With the times of both accounts, there would be twenty.
  expect(granules.at(-1)?.[0]).toBeLessThanOrEqual(12)
  expect(granules.at(-1)?.[1]).toBeGreaterThanOrEqual(40)
})

test('a request with 20,000 calls whose accounts consist of quotes and backslashes is compared', async () => {
  const text = "'\\".repeat(17)
  const rows = Array.from({ length: 20_000 }, (_, position) =>
    createCallRow(`${text}${position % 100}`, start + position),
  )
  const [first] = rows
  await clickHouse.insert('calls', first === undefined ? [] : [first], randomUUID())
  expect((await callTable.compare(clickHouse, rows)).missing).toHaveLength(19_999)
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { ApiError } from '@patchbay/contract/api/errors'
import { createSqlCalls } from '@patchbay/server/call-data/calls/sql-calls'
import type { Database } from '@patchbay/server/database/engine'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { createWorld, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRecord, getRow } from '../fixtures.ts'

/** Searches of call records: many searches of a tenant delay only that tenant. */

let api: TestApi
let world: World
const threads: Worker[] = []
const remember = (message: unknown) => void threads.push((message as { worker: Worker }).worker)

beforeAll(async () => {
  subscribe('worker_threads', remember)
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(async () => {
  await api.close()
  unsubscribe('worker_threads', remember)
})

const hour = 3_600_000_000_000n

/** Stores calls of an account in each of three hours. */
const store = (account_sid: string) =>
  api.sinks.calls.store(
    Array.from({ length: 300 }, (_, index) =>
      callRecord(account_sid, { time: BigInt(index % 3) * hour + BigInt(index) }),
    ),
  )

test('six hundred searches of one tenant do not delay another tenant', async () => {
  const { sid, keys } = world
  await store(sid.A)
  await store(sid.B)
  let answeredOfA = 0
  const ofA = async () => {
    const answer = await api
      .as(keys['key of A'].token)
      .get(`/Accounts/${sid.A}/RecentCalls?page=1&count=25&filter=5083`)
    if (answer.status === 200) answeredOfA += 1
    return answer
  }
  const ofB = async () => {
    const path = `/Accounts/${sid.B}/RecentCalls?page=1&count=25&filter=5083`
    const answer = await api.as(keys['key of B'].token).get(path)
    return { answer, before: answeredOfA }
  }
  const flood = Array.from({ length: 600 }, ofA)
  const { answer, before } = await ofB()
  expect(getRow(answer)).toMatchObject({ total: 300 })
  expect(before).toBeLessThan(100)
  const refused = (await Promise.all(flood)).filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(100)
  for (const { status, body, headers } of refused) {
    expect(status).toBe(429)
    expect(body).toMatchObject({
      code: 'too_many_concurrent_requests',
      msg: expect.stringContaining('Try again shortly'),
    })
    expect(headers['retry-after']).toBe('1')
  }
})

/** Calls `onStatement` for each statement on the search connection. */
const observeStatements = (database: Database, onStatement: () => void): Database => ({
  ...database,
  searcher: database.searcher.withPlugin({
    transformQuery: ({ node }) => {
      onStatement()
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }),
})

test('a text search runs in batches and stops when the client disconnects', async () => {
  const account_sid = await api.account(world.sid.P)
  await store(account_sid)
  const search = { owner: { account_sid }, text: '5083', page: 1, pageSize: 25 }
  const disconnect = new AbortController()
  let statements = 0
  const calls = createSqlCalls(
    observeStatements(api.test.database, () => {
      statements += 1
    }),
    100,
  )
  expect(await calls.search(search)).toMatchObject({ total: 300 })
  expect(statements).toBe(3)

  const impatient = createSqlCalls(
    observeStatements(api.test.database, () => disconnect.abort()),
    100,
  )
  statements = 0
  const ended = await impatient
    .search(search, { owner: account_sid, signal: disconnect.signal })
    .catch((error: unknown) => error instanceof ApiError && error.code)
  expect(ended).toBe('client_closed_request')
  expect(await impatient.search(search)).toMatchObject({ total: 300 })
})

test.skipIf(isMysql)('continue after the reader threads have ended', async () => {
  const { sid, keys } = world
  const paths = ['', '&filter=5083'].map((more) => `/Accounts/${sid.B}/RecentCalls?page=1&count=25${more}`)
  const ask = () => Promise.all(paths.map((path) => api.as(keys['key of B'].token).get(path)))
  await ask()
  expect(threads.length).toBeGreaterThanOrEqual(2)
  const during = ask()
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()))
  for (const { status } of await during) expect([200, 503]).toContain(status)
  expect((await ask()).map(({ status }) => status)).toEqual([200, 200])
})

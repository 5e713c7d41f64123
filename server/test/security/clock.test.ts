import { randomUUID } from 'node:crypto'
import { createMemoryRates } from '@patchbay/server/auth/rate-limit/memory-store'
import { createLeases } from '@patchbay/server/billing/lease'
import { removeDueLeftovers } from '@patchbay/server/resources/shared/realm-records'
import { openTestApi } from '@patchbay/testkit/test-world'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** Rate limits, lockouts, and leases after the system clock was set back by two days. */

const twoDaysMs = 2 * 86_400_000

const api = await openTestApi({ LOGIN_ATTEMPTS_MAX_RETRIES: '2', LOGIN_ATTEMPTS_TIME: '2' })
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const setClockBack = () => vi.setSystemTime(Date.now() - twoDaysMs)

test('a rate limit window does not grow', async () => {
  const rates = createMemoryRates()
  await rates.hit('caller', 60_000)
  setClockBack()
  const { count, milliseconds } = await rates.hit('caller', 60_000)
  expect(count).toBe(2)
  expect(milliseconds).toBeLessThanOrEqual(60_000)
})

test('a counter expires after its time to live', async () => {
  const { counters } = api.services
  expect(await counters.increment('clock-test', 1)).toBe(1)
  setClockBack()
  await expect.poll(() => counters.read('clock-test', 1)).toBe(0)
  expect(await counters.increment('clock-test', 1)).toBe(1)
})

test('a lockout ends after its window', async () => {
  const { name, password } = await api.user()
  const signIn = async (typed: string) => (await api.signIn(name, typed, '10.20.0.1')).body
  for (let attempt = 0; attempt < 2; attempt += 1) await signIn('wrong')
  expect(await signIn(password)).toMatchObject({ code: 'locked_out' })
  setClockBack()
  await expect.poll(() => signIn(password)).toHaveProperty('token')
})

test('a billing lease of a process that was killed can be taken', async () => {
  const account_sid = await api.account(await api.provider())
  const { database } = api.test
  const killed = createLeases({ database, now: Date.now })
  await killed.forAction(account_sid, () => Promise.resolve(), true)
  const other = createLeases({ database, now: Date.now })
  expect(await other.forPolling(account_sid, () => Promise.resolve('done'))).toBeUndefined()
  setClockBack()
  expect(await other.forPolling(account_sid, () => Promise.resolve('done'))).toBe('done')
})

test('DNS records that a killed process left are removed', async () => {
  const realm_records_sid = randomUUID()
  const sip_realm = `${realm_records_sid}.example.org`
  const { database } = api.test
  const row = { realm_records_sid, account_sid: randomUUID(), sip_realm, state: 'removing', zone: 'example.org' }
  const due_at = Date.now() + 60_000
  await database.db
    .insertInto('patchbay_realm_records')
    .values({ ...row, record_ids: '[7]', due_at })
    .execute()
  const removed: number[] = []
  const dns = {
    findZone: () => Promise.resolve('example.org'),
    findRecordIds: () => Promise.resolve([7]),
    createRecords: () => Promise.resolve([]),
    removeRecords: async (_zone: string, ids: readonly number[]) => {
      removed.push(...ids)
    },
  }
  const onBackgroundError = (error: unknown) => {
    throw error
  }
  await removeDueLeftovers(database, dns, onBackgroundError)
  expect(removed).toEqual([])
  setClockBack()
  await removeDueLeftovers(database, dns, onBackgroundError)
  expect(removed).toEqual([7])
})

test('parallel increments of a counter count every call', async () => {
  const { counters } = api.services
  await Promise.all(Array.from({ length: 100 }, () => counters.increment('parallel', 60)))
  expect(await counters.read('parallel', 60)).toBe(100)
})

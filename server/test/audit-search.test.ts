import type { Actor } from '@patchbay/contract/api/access'
import { isTableFaster } from '@patchbay/server/resources/audit-trail/scan-order'
import { searchAuditTrail, selectMatching } from '@patchbay/server/resources/audit-trail/store'
import { createTestDatabase, isMysql, type TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Searches of an audit trail with more entries than a search reads first. */

const [large, small] = ['large-provider', 'small-provider']
const entryCount = 8000
/** Entries between two of the small provider. */
const smallEvery = 50
const startedAt = 1_700_000_000_000_000

const isSmall = (nth: number): boolean => nth % smallEvery === 0
const getName = (nth: number): string => (nth < 100 || nth % 1000 === 1 ? `rare ${nth}` : `number ${nth}`)
const getMoment = (nth: number): number => startedAt + nth * 1000

const createEntry = (nth: number) => ({
  moment: getMoment(nth),
  action: nth % 3 === 0 ? 'delete' : 'update',
  kind: 'phone_number',
  sid: `sid-${nth}`,
  name: getName(nth),
  account_sid: null,
  service_provider_sid: isSmall(nth) ? small : large,
  actor: 'user',
  actor_sid: 'actor',
  actor_name: 'operator',
  actor_scope: 'admin',
  address: '192.0.2.1',
  request_id: `request-${nth}`,
  changes: '[]',
  reason: null,
  times: 1,
})

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { db } = testDatabase.database
  for (let start = 0; start < entryCount; start += 500)
    await db
      .insertInto('patchbay_audit_trail')
      .values(Array.from({ length: 500 }, (_, nth) => createEntry(start + nth)))
      .execute()
})
afterAll(() => testDatabase.drop())

const admin: Actor = { scope: 'admin', account_sid: null, service_provider_sid: null } as Actor
const ofProvider = (service_provider_sid: string): Actor => ({
  ...admin,
  scope: 'service_provider',
  service_provider_sid,
})

const actors = [
  ['an admin', admin, () => true],
  ['a provider with most entries', ofProvider(large), (nth: number) => !isSmall(nth)],
  ['a provider with few entries', ofProvider(small), isSmall],
] as const

const searches = [
  ['a rare name', { filter: 'rare' }, (nth: number) => getName(nth).startsWith('rare')],
  ['a name that only old entries have', { filter: 'rare 5' }, (nth: number) => getName(nth).startsWith('rare 5')],
  ['a frequent name', { filter: 'number' }, (nth: number) => getName(nth).startsWith('number')],
  ['a name that does not exist', { filter: 'nobody' }, () => false],
  ['an action', { action: 'delete' }, (nth: number) => nth % 3 === 0],
  ['a period', { filter: 'rare', end: new Date(getMoment(90) / 1000).toISOString() }, (nth: number) => nth <= 90],
] as const

const page = { page: '1', count: '25' } as const

test.each(
  actors.flatMap(([who, ...actor]) => searches.map(([what, ...search]) => [who, what, ...actor, ...search] as const)),
)(
  '%s finds the entries of a search for %s, newest first, on every page',
  async (_who, _what, actor, sees, search, isMatch) => {
    const expected = Array.from({ length: entryCount }, (_, nth) => entryCount - 1 - nth).filter(
      (nth) => sees(nth) && isMatch(nth),
    )
    for (const number of [1, 2, 4]) {
      const query = { ...page, ...search, page: String(number) }
      const { total, entries } = await searchAuditTrail(testDatabase.database, actor, query)
      expect(total).toBe(expected.length)
      const ofPage = expected.slice((number - 1) * 25, number * 25)
      expect(entries.map(({ name }) => name)).toEqual(ofPage.map(getName))
    }
  },
)

test.each([
  ['most entries', large, true],
  ['few entries', small, false],
  ['no entries', 'unknown', false],
])('a search of a provider with %s reads the faster of table and index', async (_, provider, inTable) => {
  const { database } = testDatabase
  const [actor, query] = [ofProvider(provider), { ...page, filter: 'rare' } as never]
  const isFaster = await isTableFaster(database, actor, query)
  expect(isFaster).toBe(inTable)
  const matching = selectMatching(database, actor, query, isFaster).limit(25)
  const plan = JSON.stringify(isMysql ? await matching.explain() : await matching.explain(undefined, sql`QUERY PLAN`))
  expect(plan.includes('patchbay_audit_trail_idx_1')).toBe(!inTable)
})

test('a search of one account or record, or without filters, reads an index', async () => {
  for (const query of [{}, { account_sid: 'one', filter: 'rare' }, { sid: 'sid-1', action: 'delete' }])
    expect(await isTableFaster(testDatabase.database, ofProvider(large), { ...page, ...query } as never)).toBe(false)
})

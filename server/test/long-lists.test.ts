import { randomUUID } from 'node:crypto'
import { insertIgnoringDuplicates, inTransaction } from '@patchbay/server/database/engine'
import type { Tables } from '@patchbay/server/database/tables'
import { member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn, type UserName } from '@patchbay/testkit/test-world'
import type { Insertable } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { getRow, getRows, type Row, sorted } from './fixtures.ts'

/**
 * Lists of several thousand rows. Their pages are read in the order of an index and from the nearer end, while short
 * lists are sorted. Every page must contain the same rows in both ways, and none of another tenant.
 */

const { api, world } = await openTestWorld()

/** More than the rows that are sorted for a page, and more than the offset up to which the list is read forward. */
const longCount = 5400
/** More than the rows that are sorted for a page. */
const otherCount = 2100
const pageSize = 900

interface Stored {
  sid: string
  name: string
  account_sid: string | null
  provider: string
  carrier: string
}

type Values = Readonly<Record<string, string | number | null | undefined>>

const insert = <T extends keyof Tables>(table: T, rows: readonly (Insertable<Tables[T]> & Values)[]) =>
  inTransaction(api.test.database, (trx) => insertIgnoringDuplicates(trx, api.test.database.engine, table, rows))

const createRows = (count: number, provider: string, accounts: readonly (string | null)[], carrier: string): Stored[] =>
  Array.from({ length: count }, (_, nth) => ({
    sid: randomUUID(),
    // The order of the names is not that of the rows, and rows of both providers alternate in it.
    name: `4${String((nth * 7919) % 10_007).padStart(6, '0')}`,
    account_sid: accounts[nth % accounts.length] ?? null,
    provider,
    carrier,
  }))

let numbers: Stored[] = []
let applications: Stored[] = []
let carriers: Stored[] = []

beforeAll(async () => {
  const { sid } = world
  const createCarrier = async (owner: object) =>
    member(await api.admin.post('/VoipCarriers', { name: `carrier ${randomUUID()}`, ...owner }), 'sid')
  const carrierOfP = await createCarrier({ service_provider_sid: sid.P })
  const carrierOfQ = await createCarrier({ service_provider_sid: sid.Q })
  numbers = [
    ...createRows(longCount, sid.P, [sid.A, sid.A2, null], carrierOfP),
    ...createRows(otherCount * 2, sid.Q, [sid.B, null], carrierOfQ),
  ]
  applications = [...createRows(longCount, sid.P, [sid.A, sid.A2], ''), ...createRows(otherCount, sid.Q, [sid.B], '')]
  carriers = [...createRows(longCount, sid.P, [sid.A, null], ''), ...createRows(otherCount, sid.Q, [sid.B, null], '')]
  await insert(
    'phone_numbers',
    numbers.map(({ sid: phone_number_sid, name: number, account_sid, carrier: voip_carrier_sid }) => ({
      phone_number_sid,
      number,
      account_sid,
      voip_carrier_sid,
    })),
  )
  await insert(
    'applications',
    applications.map(({ sid: application_sid, name, account_sid }) => ({ application_sid, name, account_sid })),
  )
  await insert(
    'voip_carriers',
    carriers.map(({ sid: voip_carrier_sid, name, account_sid, provider: service_provider_sid }) => ({
      voip_carrier_sid,
      name,
      account_sid,
      service_provider_sid,
    })),
  )
})

interface List {
  /** The path with the query, up to the number of the page. */
  path: string
  search: string
  sidColumn: string
  nameColumn: string
  rows: () => readonly Stored[]
}

const lists: Readonly<Record<string, List>> = {
  'phone numbers': {
    path: `/patchbay/phone-numbers?page_size=${pageSize}`,
    search: 'filter=',
    sidColumn: 'phone_number_sid',
    nameColumn: 'number',
    rows: () => numbers,
  },
  applications: {
    path: `/Applications?page_size=${pageSize}`,
    search: 'name=',
    sidColumn: 'application_sid',
    nameColumn: 'name',
    rows: () => applications,
  },
  carriers: {
    path: `/VoipCarriers?page_size=${pageSize}`,
    search: 'name=',
    sidColumn: 'voip_carrier_sid',
    nameColumn: 'name',
    rows: () => carriers,
  },
}

const readPages = async (user: UserName, path: string) => {
  const caller = await signedIn(api, world.users[user])
  const rows: Row[] = []
  const totals = new Set<unknown>()
  for (let page = 1; ; page += 1) {
    const answer = getRow(await caller.get(`${path}&page=${page}`))
    totals.add(answer['total'])
    const data = answer['data'] as Row[]
    rows.push(...data)
    if (data.length < pageSize) return { rows, totals: [...totals] }
  }
}

/** Returns which of the inserted rows a user may see. */
const isVisible = (list: string, user: UserName, { provider, account_sid }: Stored): boolean => {
  const { sid } = world
  if (user === 'admin') return true
  if (user === 'user of P') return provider === sid.P
  if (user === 'user of Q') return provider === sid.Q
  // An account may use the carriers of its provider.
  return account_sid === sid.A || (list === 'carriers' && account_sid === null && provider === sid.P)
}

const compare = (a: string, b: string): number => (a < b ? -1 : 1)

const users = ['admin', 'user of P', 'user of Q', 'user of A'] as const

describe.each(Object.keys(lists))('%s', (name) => {
  const { path, search, sidColumn, nameColumn, rows } = lists[name] as List
  const expected = (user: UserName, part = '') =>
    rows()
      .filter((row) => isVisible(name, user, row) && row.name.includes(part))
      // Numbers with the same digits are ordered by their carrier.
      .toSorted((a, b) => compare([a.name, a.carrier, a.sid].join(' '), [b.name, b.carrier, b.sid].join(' ')))
  const inserted = () => new Set(rows().map(({ sid }) => sid))

  test.each(users)('all pages of %s together contain each visible row once, in order', async (user) => {
    const { rows: read, totals } = await readPages(user, path)
    const own = inserted()
    const matches = read.filter((row) => own.has(String(row[sidColumn])))
    expect(matches.map((row) => row[nameColumn])).toEqual(expected(user).map((row) => row.name))
    expect(matches.map((row) => row[sidColumn])).toEqual(expected(user).map(({ sid }) => sid))
    expect(new Set(read.map((row) => row[sidColumn])).size).toBe(read.length)
    expect(totals).toEqual([read.length])
  })

  test.each(users)('a search of %s finds the same rows and their number', async (user) => {
    for (const part of ['0001', '4', 'x']) {
      const { rows: read, totals } = await readPages(user, `${path}&${search}${part}`)
      const own = inserted()
      const matches = read.filter((row) => own.has(String(row[sidColumn]))).map((row) => row[sidColumn])
      expect(matches).toEqual(expected(user, part).map(({ sid }) => sid))
      expect(totals).toEqual([read.length])
    }
  })

  test('a page after the last one is empty and has the total', async () => {
    const { rows: read } = await readPages('user of P', path)
    const caller = await signedIn(api, world.users['user of P'])
    for (const page of [20, 999_999_999])
      expect((await caller.get(`${path}&page=${page}`)).body).toMatchObject({ total: read.length, data: [] })
  })
})

test('the numbers of one account and one carrier are read in pages', async () => {
  const caller = await signedIn(api, world.users['user of P'])
  const { sid } = world
  const [{ carrier } = { carrier: '' }] = numbers
  for (const [query, count] of [
    [`account_sid=${sid.A}`, numbers.filter(({ account_sid }) => account_sid === sid.A).length],
    [`account_sid=${sid.B}`, 0],
    [`voip_carrier_sid=${carrier}`, longCount],
  ] as const) {
    const sids: unknown[] = []
    for (let page = 1; page <= 7; page += 1) {
      const answer = getRow(await caller.get(`/patchbay/phone-numbers?page_size=${pageSize}&page=${page}&${query}`))
      sids.push(...(answer['data'] as Row[]).map((row) => row['phone_number_sid']))
    }
    const own = new Set<unknown>(numbers.map((row) => row.sid))
    expect([query, sids.filter((one) => own.has(one)).length]).toEqual([query, count])
  }
})

test('the list without pages contains the same numbers', async () => {
  const caller = await signedIn(api, world.users['user of P'])
  const all = getRows(await caller.get('/PhoneNumbers')).map((row) => row['phone_number_sid'])
  const { rows: paged } = await readPages('user of P', `/patchbay/phone-numbers?page_size=${pageSize}`)
  expect(paged.map((row) => row['phone_number_sid'])).toEqual(all)
})

test('the only provider with numbers and carriers sees all numbers but those that belong to no provider', async () => {
  const { db } = api.test.database
  const { sid } = world
  const ofP = numbers.filter(({ provider }) => provider === sid.P)
  const own = new Set(ofP.map((row) => row.sid))
  const stored = await db.selectFrom('phone_numbers').select('phone_number_sid').execute()
  const others = stored.map((row) => row.phone_number_sid).filter((one) => !own.has(one))
  for (let start = 0; start < others.length; start += 500)
    await db
      .deleteFrom('phone_numbers')
      .where('phone_number_sid', 'in', others.slice(start, start + 500))
      .execute()
  await db.updateTable('voip_carriers').set({ account_sid: null, service_provider_sid: sid.P }).execute()
  await insert('phone_numbers', [{ phone_number_sid: randomUUID(), number: '49999' }])
  const { rows, totals } = await readPages('user of P', `/patchbay/phone-numbers?page_size=${pageSize}`)
  expect(sorted(rows.map((row) => row['phone_number_sid']))).toEqual(sorted([...own]))
  expect(totals).toEqual([ofP.length])
  const search = await readPages('user of P', `/patchbay/phone-numbers?page_size=${pageSize}&filter=9999`)
  const matches = ofP.filter(({ name }) => name.includes('9999'))
  expect(sorted(search.rows.map((row) => row['phone_number_sid']))).toEqual(sorted(matches.map((row) => row.sid)))
  expect((await readPages('user of Q', `/patchbay/phone-numbers?page_size=${pageSize}`)).totals).toEqual([0])
})

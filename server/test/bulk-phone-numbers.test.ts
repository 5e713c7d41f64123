import { randomUUID } from 'node:crypto'
import { type Caller, createTestApi, member } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, type Row, snapshot, statusAndMessage } from './fixtures.ts'

/** Bulk operations on phone numbers: the extensions below /patchbay/phone-numbers. */

const { api, world } = await openTestWorld()

const as = (name: UserName) => signedIn(api, world.users[name])

let serial = 0
const fresh = (): string => `1617${String((serial += 1)).padStart(7, '0')}`

const insert = async (
  rows: readonly { number: string; account_sid: string; voip_carrier_sid?: string; application_sid?: string }[],
) => {
  const all = rows.map((row) => ({ phone_number_sid: randomUUID(), ...row }))
  await api.test.database.db.insertInto('phone_numbers').values(all).execute()
  return all.map(({ phone_number_sid }) => phone_number_sid)
}

const insertOne = async (row: Parameters<typeof insert>[0][number]): Promise<string> => (await insert([row]))[0] ?? ''

const read = async (sid: string) => getRow(await api.admin.get(`/PhoneNumbers/${sid}`))

const createCarrier = async (owner: object, name = `carrier ${randomUUID()}`) =>
  member(await api.admin.post('/VoipCarriers', { name, ...owner }), 'sid')

const listIn = (answer: Parameters<typeof getRow>[0], name: string) => getRow(answer)[name] as Row[]

describe('a page with names', () => {
  test('returns the names of referenced resources, or null for missing references', async () => {
    const { sid, things } = world
    const { application_sid, voip_carrier_sid } = things.A
    const filter = fresh()
    const full = await insertOne({ number: filter, account_sid: sid.A, application_sid, voip_carrier_sid })
    const bare = await insertOne({ number: `${filter}0`, account_sid: sid.A })
    const ofP = await as('user of P')
    const answer = await ofP.get(`/patchbay/phone-numbers?page=1&page_size=25&filter=${filter}`)
    expect(answer.body).toEqual({
      total: 2,
      page: 1,
      page_size: 25,
      data: [
        {
          ...(await read(full)),
          account_name: `account ${sid.A}`,
          application_name: `application ${application_sid}`,
          carrier_name: `carrier ${voip_carrier_sid}`,
        },
        { ...(await read(bare)), account_name: `account ${sid.A}`, application_name: null, carrier_name: null },
      ],
    })
    for (const [name, total] of [
      ['user of A', 2],
      ['user of A2', 0],
      ['user of Q', 0],
      ['admin', 2],
    ] as const)
      expect([
        name,
        (await (await as(name)).get(`/patchbay/phone-numbers?page=1&filter=${filter}`)).body,
      ]).toMatchObject([name, { total }])
  })

  test('missing, invalid, and too large page parameters are rejected', async () => {
    for (const query of ['', '?page=x', '?page=1&page_size=5001'])
      expect((await api.admin.get(`/patchbay/phone-numbers${query}`)).status).toBe(400)
  })
})

const route = (caller: Caller, application_sid: string | null, phone_number_sids: readonly string[], more = {}) =>
  caller.post('/patchbay/phone-numbers/routing', { application_sid, phone_number_sids, ...more })

describe('routing', () => {
  test('assigns an application, or none, to several numbers, and names those that failed', async () => {
    const { sid, things } = world
    const { application_sid } = things.A
    const [one = '', two = '', ofA2 = '', ofB = ''] = await insert([
      { number: fresh(), account_sid: sid.A },
      { number: fresh(), account_sid: sid.A, application_sid },
      { number: fresh(), account_sid: sid.A2 },
      { number: fresh(), account_sid: sid.B },
    ])
    const unknownSid = randomUUID()
    const ofP = await as('user of P')
    const before = await read(ofB)
    const answer = await route(ofP, application_sid, [one, two, ofA2, ofB, unknownSid, one])
    expect(answer.status).toBe(200)
    const unknown = { number: null, why: 'This phone number does not exist' }
    expect(answer.body).toEqual({
      changed: [{ phone_number_sid: one, previous_application_sid: null }],
      failed: [
        {
          phone_number_sid: ofA2,
          number: (await read(ofA2))['number'],
          why: 'The application belongs to another account than this number',
        },
        { phone_number_sid: ofB, ...unknown },
        { phone_number_sid: unknownSid, ...unknown },
      ],
    })
    for (const number of [one, two]) expect(await read(number)).toMatchObject({ application_sid })
    expect(await read(ofB)).toEqual(before)
    expect((await route(ofP, null, [one, two])).body).toEqual({
      changed: [one, two].map((phone_number_sid) => ({ phone_number_sid, previous_application_sid: application_sid })),
      failed: [],
    })
    for (const number of [one, two]) expect(await read(number)).toMatchObject({ application_sid: null })
    // A number that already had the application is not recorded as changed.
    const actions = async (number: string) =>
      listIn(await ofP.get(`/patchbay/audit-trail?page=1&count=25&kind=phone_number&sid=${number}`), 'data').map(
        ({ action, account_sid, changes }) => [action, account_sid, changes],
      )
    const change = (was: string | null, is: string | null) => [
      'update',
      sid.A,
      [{ field: 'application_sid', before: was, after: is }],
    ]
    expect(await actions(one)).toEqual([change(application_sid, null), change(null, application_sid)])
    expect(await actions(two)).toEqual([change(application_sid, null)])
  })

  test('changes only numbers that still have the given application, so that an undo keeps later changes', async () => {
    const { sid, things } = world
    const caller = await as('user of A')
    const { application_sid } = things.A
    const [set = '', cleared = '', restored = ''] = await insert(
      Array.from({ length: 3 }, () => ({ number: fresh(), account_sid: sid.A, application_sid })),
    )
    expect((await route(caller, null, [cleared])).status).toBe(200)
    const undo = await route(caller, null, [set, cleared, restored], { current_application_sid: application_sid })
    expect(undo.body).toEqual({
      changed: [set, restored].map((number) => ({
        phone_number_sid: number,
        previous_application_sid: application_sid,
      })),
      failed: [],
    })
    expect((await route(caller, application_sid, [restored])).status).toBe(200)
    const late = await route(caller, null, [restored, set], { current_application_sid: randomUUID() })
    expect(late.body).toEqual({
      changed: [],
      failed: [
        {
          phone_number_sid: restored,
          number: (await read(restored))['number'],
          why: 'The application has been changed in the meantime',
        },
      ],
    })
    expect(await read(restored)).toMatchObject({ application_sid })
    // Null names numbers without an application.
    const again = await route(caller, application_sid, [set, restored], { current_application_sid: null })
    expect(again.body).toEqual({ changed: [{ phone_number_sid: set, previous_application_sid: null }], failed: [] })
  })

  test.each<[UserName, 'A' | 'A2' | 'B' | undefined]>([
    ['user of A', 'A2'],
    ['user of A', 'B'],
    ['user of P', 'B'],
    ['user of Q', 'A'],
    ['user of A', undefined],
  ])('%s cannot use the application of %s, which looks like an unknown one', async (name, of) => {
    const { sid, things } = world
    const number = await insertOne({ number: fresh(), account_sid: sid.A })
    const caller = await as(name)
    const before = await snapshot(api)
    const answer = await route(caller, of ? things[of].application_sid : randomUUID(), [number])
    expect(answer).toMatchObject({ status: 400, body: { msg: 'unknown application_sid', field: 'application_sid' } })
    expect(await snapshot(api)).toEqual(before)
  })

  test('accepts at most a thousand numbers, and names invalid ones', async () => {
    const { sid, things } = world
    const sids = await insert(Array.from({ length: 1000 }, () => ({ number: fresh(), account_sid: sid.A })))
    const { application_sid } = things.A
    expect((await route(await as('user of A'), application_sid, sids)).body).toMatchObject({ failed: [] })
    const page = await api.admin.get(`/patchbay/phone-numbers?page=1&page_size=5000&account_sid=${sid.A}&filter=1617`)
    const routed = listIn(page, 'data').filter((row) => row['application_sid'] === application_sid)
    expect(routed.length).toBeGreaterThanOrEqual(1000)
    for (const [numbers, msg] of [
      [[...sids, randomUUID()], 'must be at most 1000 phone numbers'],
      [[], 'must name at least one of the phone numbers'],
      [['x'], 'must be a sid (UUID)'],
      ['x', 'must be a list of phone numbers'],
    ] as const) {
      const answer = await api.admin.post('/patchbay/phone-numbers/routing', {
        application_sid: null,
        phone_number_sids: numbers,
      })
      expect(statusAndMessage(answer)).toEqual([400, expect.stringContaining(msg)])
    }
    expect(
      (await api.admin.post('/patchbay/phone-numbers/routing', { phone_number_sids: [randomUUID()] })).status,
    ).toBe(400)
  })
})

type ImportRow = Partial<Record<'number' | 'carrier' | 'account' | 'application', string>> & { is_pattern?: boolean }

const importRows = (caller: Caller, rows: readonly ImportRow[], more: object = {}) =>
  caller.post('/patchbay/phone-numbers/import', { dry_run: false, rows, ...more })

const outcomes = (answer: Awaited<ReturnType<typeof importRows>>) =>
  listIn(answer, 'rows').map(({ is, why }) => (is === 'wrong' ? why : is))

const numbersOn = async (carrier: string) =>
  getRows(await api.admin.get(`/PhoneNumbers?voip_carrier_sid=${carrier}`)).map(
    ({ number, account_sid, application_sid }) => [number, account_sid, application_sid],
  )

describe('import', () => {
  test('a dry run returns the planned change of each row without changing anything, and the import executes it', async () => {
    const { sid, things } = world
    const { application_sid } = things.A
    const carrier = await createCarrier({ service_provider_sid: sid.P }, 'Main Trunk')
    const [one, two] = [fresh(), fresh()]
    const changed = await insertOne({ number: two, account_sid: sid.A, voip_carrier_sid: carrier })
    const rows = [
      { number: `+${one}`, carrier: 'main trunk', account: sid.A, application: `application ${application_sid}` },
      { number: two, carrier, application: application_sid },
      { number: two, carrier, application: application_sid },
      { number: fresh(), carrier: 'No Trunk', account: sid.A },
    ]
    const expected = [
      { is: 'new', is_pattern: false, number: one, voip_carrier_sid: carrier, account_sid: sid.A, application_sid },
      {
        is: 'changed',
        phone_number_sid: changed,
        number: two,
        voip_carrier_sid: carrier,
        account_sid: sid.A,
        application_sid,
      },
      { is: 'wrong', column: 'number', why: 'Line 2 has the same number' },
      { is: 'wrong', column: 'carrier', why: 'There is no such carrier' },
    ]
    const ofP = await as('user of P')
    const before = await snapshot(api)
    expect((await importRows(ofP, rows, { dry_run: true })).body).toEqual({ rows: expected })
    expect(await snapshot(api)).toEqual(before)
    expect((await importRows(ofP, rows)).body).toEqual({ rows: expected })
    expect(await numbersOn(carrier)).toEqual([
      [one, sid.A, application_sid],
      [two, sid.A, application_sid],
    ])
    expect(outcomes(await importRows(ofP, rows.slice(0, 2)))).toEqual(['unchanged', 'unchanged'])
    const entries = listIn(await ofP.get('/patchbay/audit-trail?page=1&count=2&kind=phone_number'), 'data')
    expect(entries.map(({ action, name, account_sid }) => [action, name, account_sid])).toEqual([
      ['update', two, sid.A],
      ['create', one, sid.A],
    ])
  })

  test('resources of other tenants look like unknown ones, in every column and for every caller', async () => {
    const { sid, things } = world
    const carrier = await createCarrier({ service_provider_sid: sid.P })
    const ofNobody = await createCarrier({})
    const ownReferences = { account: sid.A, carrier }
    const attempts: [UserName, ImportRow, string][] = [
      ['user of A', { account: sid.A2 }, 'There is no such account'],
      ['user of A', { account: `account ${sid.A2}` }, 'There is no such account'],
      ['user of A', { carrier: things.A2.voip_carrier_sid }, 'There is no such carrier'],
      ['user of A', { carrier: things.B.voip_carrier_sid }, 'There is no such carrier'],
      ['user of A', { carrier: ofNobody }, 'There is no such carrier'],
      ['user of A', { application: things.A2.application_sid }, 'There is no such application'],
      ['user of P', { account: sid.B }, 'There is no such account'],
      ['user of P', { carrier: things.B.voip_carrier_sid }, 'There is no such carrier'],
      ['user of P', { carrier: things.A2.voip_carrier_sid }, 'The account can’t use this carrier'],
      ['user of P', { application: things.A2.application_sid }, 'The account can’t use this application'],
      ['user of P', { application: things.B.application_sid }, 'There is no such application'],
      ['user of Q', {}, 'There is no such account'],
      ['admin', { account: sid.B }, 'There is no such account'],
      ['admin', { carrier: things.B.voip_carrier_sid }, 'There is no such carrier'],
    ]
    const callers = new Map<UserName, Caller>()
    for (const [name] of attempts) callers.set(name, await as(name))
    const before = await snapshot(api)
    for (const [name, row, why] of attempts)
      expect([
        name,
        row,
        outcomes(
          await importRows(callers.get(name) ?? api.nobody, [{ number: fresh(), ...ownReferences, ...row }], {
            service_provider_sid: sid.P,
          }),
        ),
      ]).toEqual([name, row, [why]])
    expect(await snapshot(api)).toEqual(before)
    // Naming a provider other than the caller's own has no effect.
    const ofA = await as('user of A')
    expect(outcomes(await importRows(ofA, [{ number: fresh(), carrier }], { service_provider_sid: sid.Q }))).toEqual([
      'new',
    ])
    expect(statusAndMessage(await importRows(api.admin, [{ number: '1' }]))).toEqual([
      400,
      'service_provider_sid missing',
    ])
  })

  test('a number of another account on a shared carrier is reported as taken and not changed', async () => {
    const { sid } = world
    const carrier = await createCarrier({ service_provider_sid: sid.P })
    const number = fresh()
    const foreignNumber = await insertOne({ number, account_sid: sid.A2, voip_carrier_sid: carrier })
    const before = await read(foreignNumber)
    expect(outcomes(await importRows(await as('user of A'), [{ number, carrier }]))).toEqual([
      'The number already exists on this carrier',
    ])
    expect(await read(foreignNumber)).toEqual(before)
    // For the provider, the number is its own and can be moved.
    expect(outcomes(await importRows(await as('user of P'), [{ number, account: sid.A }]))).toEqual(['changed'])
    expect(await read(foreignNumber)).toMatchObject({ account_sid: sid.A })
  })

  test('concurrent imports of one number add it once', async () => {
    const { sid } = world
    const carrier = await createCarrier({ service_provider_sid: sid.P })
    const rows = [{ number: fresh(), carrier, account: sid.A }]
    const callers = [await as('user of P'), await as('user of A')]
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => importRows(callers[nth % 2] ?? api.admin, rows)),
    )
    const results = all.flatMap((answer) => outcomes(answer))
    expect(results.filter((is) => is === 'new')).toHaveLength(1)
    for (const one of results) expect(['new', 'unchanged', 'The number already exists on this carrier']).toContain(one)
    expect(await numbersOn(carrier)).toHaveLength(1)
  })

  test('a failed import leaves no partial changes', async () => {
    const failing = await createTestApi()
    try {
      const { sid, things, users } = await createWorld(failing)
      const { application_sid, voip_carrier_sid: carrier, phone_number_sid } = things.A
      const ofA = await signedIn(failing, users['user of A'])
      const rows = Array.from({ length: 20 }, (_, nth) => ({ number: `3${nth}`, carrier, account: sid.A }))
      // The rows are written, but the audit entries cannot be.
      const { db, engine } = failing.test.database
      const { schema } = db
      const written = engine === 'mysql' ? 'patchbay_audit_trail' : 'patchbay_audit_latest'
      await schema.alterTable(written).renameTo('gone').execute()
      const before = await snapshot(failing)
      expect((await importRows(ofA, rows)).status).toBe(500)
      expect((await route(ofA, application_sid, [phone_number_sid])).status).toBe(500)
      expect(await snapshot(failing)).toEqual(before)
      await schema.alterTable('gone').renameTo(written).execute()
    } finally {
      await failing.close()
    }
  })

  test('too many rows, invalid rows, and a body that is not a list are rejected as a whole', async () => {
    const { sid } = world
    const row = { number: '1', carrier: 'x', account: 'y' }
    const more = { service_provider_sid: sid.P }
    for (const [rows, status] of [
      [Array.from({ length: 501 }, () => row), 400],
      [[], 400],
      ['number,carrier', 400],
      [[row, 7], 400],
      [[{ ...row, number: 15_083_084_809 }], 400],
      [[{ ...row, owner: 'me' }], 400],
      [[{ ...row, account: 'a'.repeat(256) }], 400],
      [[{ number: 'x'.repeat(120_000) }], 413],
    ] as const) {
      const answer = await api.admin.post('/patchbay/phone-numbers/import', { dry_run: true, rows, ...more })
      expect([rows.length, answer.status]).toEqual([rows.length, status])
    }
    expect((await api.admin.post('/patchbay/phone-numbers/import', { rows: [row], ...more })).status).toBe(400)
  })

  test('a text that is no number is rejected with its reason, and a pattern is imported only if it is confirmed', async () => {
    const { sid } = world
    const carrier = await createCarrier({ service_provider_sid: sid.P })
    const ofP = await as('user of P')
    const of = (number: string, more: object = {}) => ({ number, carrier, account: sid.A, ...more })
    const rows = [
      of('1.50831E+10'),
      of('4,42E+12'),
      of('31.12.1999'),
      of('+1 508-555-1242 x12'),
      of('+39 (0)6 5550 1234'),
      of('0044 (0)20 5550 1239'),
      of('sip:+15085551241@carrier.example'),
      of('1508*'),
      of('1617*', { is_pattern: true }),
    ]
    const reasons = [/last digits are lost/, /last digits are lost/, /A date/, /Remove “x12”/]
    const planned = listIn(await importRows(ofP, rows, { dry_run: true }), 'rows')
    expect(planned).toMatchObject([
      ...reasons.map((why) => ({ is: 'wrong', why: expect.stringMatching(why) })),
      { is: 'new', is_pattern: false, number: '390655501234' },
      { is: 'new', is_pattern: false, number: '442055501239' },
      { is: 'new', is_pattern: false, number: '15085551241' },
      { is: 'new', is_pattern: true, number: '1508*' },
      { is: 'new', is_pattern: true, number: '1617*' },
    ])
    expect(outcomes(await importRows(ofP, rows)).slice(4)).toEqual([
      'new',
      'new',
      'new',
      'This is a pattern. Confirm it with is_pattern',
      'new',
    ])
    expect((await numbersOn(carrier)).map(([number]) => number)).toEqual([
      '15085551241',
      '1617*',
      '390655501234',
      '442055501239',
    ])
  })

  test('numbers that the platform’s API stored in another form are recognized', async () => {
    const { sid } = world
    const carrier = await createCarrier({ service_provider_sid: sid.P })
    // Clients of the platform store any text without spaces.
    for (const number of ['1.50831E+10', '#31#', 'alice', '0049305550123', '508.308.4809'])
      expect(
        (await api.admin.post('/PhoneNumbers', { number, voip_carrier_sid: carrier, account_sid: sid.A })).status,
      ).toBe(201)
    const rows = ['#31#', 'alice', '0049305550123', '508.308.4809', '1.50831E+10'].map((number) => ({
      number,
      carrier,
    }))
    expect(outcomes(await importRows(await as('user of P'), rows))).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
      'unchanged',
      expect.stringContaining('last digits are lost'),
    ])
  })

  test('invalid values are reported per row', async () => {
    const ofP = await as('user of P')
    const odd = ['', ' ', '\0', '(', '%', "'; DROP TABLE phone_numbers; --", '💥', '='.repeat(200)]
    const answer = await importRows(
      ofP,
      odd.map((number) => ({ number, carrier: number, account: number })),
    )
    expect(answer.status).toBe(200)
    expect(listIn(answer, 'rows').map(({ is }) => is)).toEqual(odd.map(() => 'wrong'))
  })

  test('an account cannot exceed its limit, or add numbers if only the operator manages carriers', async () => {
    const limited = await createTestApi({ APPLY_JAMBONZ_DB_LIMITS: '1' })
    try {
      const its = await createWorld(limited)
      const ofA = await signedIn(limited, its.users['user of A'])
      const rows = Array.from({ length: 200 }, (_, nth) => ({
        number: `2${nth}`,
        carrier: its.things.A.voip_carrier_sid,
      }))
      expect((await importRows(ofA, rows)).status).toBe(422)
      expect((await importRows(ofA, rows.slice(0, 199))).status).toBe(200)
    } finally {
      await limited.close()
    }
    const restricted = await createTestApi({ JAMBONES_ADMIN_CARRIER: '1' })
    try {
      const its = await createWorld(restricted)
      const ofA = await signedIn(restricted, its.users['user of A'])
      const answer = await importRows(ofA, [{ number: '1', carrier: its.things.A.voip_carrier_sid }])
      expect(statusAndMessage(answer)).toEqual([400, 'insufficient privileges'])
    } finally {
      await restricted.close()
    }
  })
})

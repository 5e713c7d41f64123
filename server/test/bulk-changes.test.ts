import { randomUUID } from 'node:crypto'
import type { BulkChange, DryRunRecord, ListedBulkChange } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { dayMs, minuteMs } from '@patchbay/contract/shared/durations'
import { BulkStepLostError } from '@patchbay/server/database/bulk-steps'
import { createBulkChangeJob } from '@patchbay/server/jobs/change-records'
import { createRecordRunner } from '@patchbay/server/resources/bulk-changes/run-records'
import { createHandlers } from '@patchbay/server/resources/index'
import { type Caller, member, type TestUser } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Bulk changes: the same update, or the deletion, of several records. */

const { api, world } = await openTestWorld()
const { A, A2, B, P } = world.sid
const { db } = api.test.database
const as = (name: UserName) => signedIn(api, world.users[name])

let serial = 0
const insertNumbers = async (account_sid: string, count: number): Promise<string[]> => {
  const rows = Array.from({ length: count }, () => ({
    phone_number_sid: randomUUID(),
    number: `4930${String((serial += 1)).padStart(7, '0')}`,
    account_sid,
  }))
  for (let first = 0; first < count; first += 100)
    await db
      .insertInto('phone_numbers')
      .values(rows.slice(first, first + 100))
      .execute()
  return rows.map(({ phone_number_sid }) => phone_number_sid)
}

const post = (caller: Caller, body: object) => caller.post('/patchbay/bulk-changes', body)

const change = async (caller: Caller, body: object): Promise<BulkChange> => {
  const answer = await post(caller, body)
  expect(answer.status).toBe(200)
  return answer.body as BulkChange
}

const readChange = async (caller: Caller, { bulk_change_sid }: BulkChange): Promise<BulkChange> =>
  (await caller.get(`/patchbay/bulk-changes/${bulk_change_sid}`)).body as BulkChange

const setApplication = (sids: readonly string[], application_sid: string | null = world.things.A.application_sid) => ({
  kind: 'phone_number',
  operation: 'update',
  values: { application_sid },
  sids,
})

const handlers = createHandlers(api.services)
const createJob = (options: Partial<Parameters<typeof createBulkChangeJob>[0]> = {}) =>
  createBulkChangeJob({
    database: api.test.database,
    runRecords: createRecordRunner(api.services, handlers),
    now: Date.now,
    signal: new AbortController().signal,
    ...options,
  })

const countWith = async (application_sid: string, sids: readonly string[]): Promise<number> => {
  const rows = await db
    .selectFrom('phone_numbers')
    .select('phone_number_sid')
    .where('application_sid', '=', application_sid)
    .where('phone_number_sid', 'in', sids)
    .execute()
  return rows.length
}

const readEntries = async (sid: string): Promise<Row[]> =>
  getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${sid}`))['data'] as Row[]

/** Returns how many audit entries each record has. */
const countEntries = async (sids: readonly string[]): Promise<number[]> => {
  const counts: number[] = []
  for (const sid of sids) counts.push((await readEntries(sid)).length)
  return counts
}

const noAccess = 'This record does not exist, or you are not allowed to change it'

describe('up to 100 records', () => {
  test('are changed by the request, with one audit entry each', async () => {
    const sids = await insertNumbers(A, 3)
    const { application_sid } = world.things.A
    const user = await as('user of A')
    const changed = await change(user, setApplication([...sids, ...sids]))
    expect(changed).toMatchObject({ status: 'finished', total: 3, done: 3, failed: 0, failures: [] })
    expect(await countWith(application_sid, sids)).toBe(3)
    expect(await countEntries(sids)).toEqual([1, 1, 1])
    const listed = (await user.get('/patchbay/bulk-changes')).body as ListedBulkChange[]
    const { failures: _, ...rest } = changed
    expect(listed[0]).toEqual(rest)
  })

  test('of other tenants fail like unknown records, without their names, and are not changed', async () => {
    const [own = ''] = await insertNumbers(A, 1)
    const [ofA2 = ''] = await insertNumbers(A2, 1)
    const [ofB = ''] = await insertNumbers(B, 1)
    const unknown = randomUUID()
    for (const operation of [setApplication([]), { kind: 'phone_number', operation: 'delete' }]) {
      const changed = await change(await as('user of A'), { ...operation, sids: [ofA2, ofB, unknown, own] })
      expect(changed).toMatchObject({ status: 'finished', done: 1, failed: 3 })
      expect(changed.failures).toEqual(
        [ofA2, ofB, unknown].map((sid) => ({ kind: 'phone_number', sid, name: null, reason: noAccess })),
      )
    }
    expect(await countEntries([ofA2, ofB])).toEqual([0, 0])
    expect((await api.admin.get(`/PhoneNumbers/${ofB}`)).status).toBe(200)
    expect((await api.admin.get(`/PhoneNumbers/${own}`)).status).toBe(404)
  })

  test('fail with the error of their endpoint, and the others are changed', async () => {
    const [ofA = ''] = await insertNumbers(A, 1)
    const [ofA2 = ''] = await insertNumbers(A2, 1)
    const changed = await change(await as('user of P'), setApplication([ofA2, ofA]))
    expect(changed).toMatchObject({ done: 1, failed: 1 })
    const number = getRow(await api.admin.get(`/PhoneNumbers/${ofA2}`))
    expect(number['application_sid']).toBeNull()
    expect(changed.failures).toMatchObject([{ sid: ofA2, name: number['number'] }])
  })
})

test('invalid requests are rejected with the field, and store nothing', async () => {
  const sids = await insertNumbers(A, 1)
  const update = setApplication(sids)
  const rejected: [object, string][] = [
    [{ ...update, kind: 'webhook' }, 'kind'],
    [{ ...update, operation: 'merge' }, 'operation'],
    [{ ...update, values: {} }, 'values'],
    [{ ...update, values: { number: '1' } }, 'number'],
    [{ ...update, values: { application_sid: 1 } }, 'application_sid'],
    [{ ...update, operation: 'delete' }, 'values'],
    [{ ...update, sids: [] }, 'sids'],
    [{ ...update, sids: ['nonsense'] }, 'sids.0'],
    [{ ...update, sids: Array.from({ length: 10_001 }, () => sids[0]) }, 'sids'],
  ]
  const before = await db.selectFrom('patchbay_bulk_changes').select('bulk_change_sid').execute()
  for (const [body, field] of rejected) {
    const answer = await post(api.admin, body)
    expect([answer.status, getRow(answer)['field']]).toEqual([400, field])
  }
  expect(await db.selectFrom('patchbay_bulk_changes').select('bulk_change_sid').execute()).toEqual(before)
})

describe('more than 100 records', () => {
  const begin = async (caller: Caller, count = 101) => {
    const sids = await insertNumbers(A, count)
    return { sids, running: await change(caller, setApplication(sids)) }
  }

  test('are changed in the background', async () => {
    const user = await as('user of A')
    const { sids, running } = await begin(user)
    expect(running).toMatchObject({ status: 'running', total: 101, done: 0, failed: 0, finished_at: null })
    await createJob()()
    expect(await readChange(user, running)).toMatchObject({ status: 'finished', done: 101, failed: 0 })
    expect(new Set(await countEntries(sids))).toEqual(new Set([1]))
    const { user_sid: actor_sid } = world.users['user of A']
    expect(await readEntries(sids[0] ?? '')).toMatchObject([{ action: 'update', actor: 'user', actor_sid }])
  })

  test('a process that was stopped continues where it ended, and changes no record twice', async () => {
    const user = await as('user of A')
    const { sids, running } = await begin(user)
    const stopping = new AbortController()
    const runRecords = createRecordRunner(api.services, {
      ...handlers,
      'PUT /PhoneNumbers/:phone_number_sid': async (context) => {
        await handlers['PUT /PhoneNumbers/:phone_number_sid'](context)
        if (context.params.phone_number_sid === sids[49]) stopping.abort()
      },
    })
    await createJob({ runRecords, signal: stopping.signal })()
    expect(await readChange(user, running)).toMatchObject({ status: 'running', done: 50 })
    await createJob()()
    expect(await readChange(user, running)).toMatchObject({ status: 'finished', done: 101 })
    expect(new Set(await countEntries(sids))).toEqual(new Set([1]))
  })

  test('a process that lost its lease to another cannot store a change', async () => {
    const user = await as('user of A')
    const { sids, running } = await begin(user)
    const staleWrites: unknown[] = []
    const runRecords = createRecordRunner(api.services, {
      ...handlers,
      'PUT /PhoneNumbers/:phone_number_sid': async (context) => {
        const isStale = context.params.phone_number_sid === sids[10]
        if (isStale) await createJob({ now: () => Date.now() + minuteMs })()
        const write = handlers['PUT /PhoneNumbers/:phone_number_sid'](context)
        if (isStale) staleWrites.push(await write.then(() => 'stored').catch((error: unknown) => error))
        await write
      },
    })
    await createJob({ runRecords })()
    expect(staleWrites).toEqual([expect.any(BulkStepLostError)])
    expect(await readChange(user, running)).toMatchObject({ status: 'finished', done: 101 })
    expect(new Set(await countEntries(sids))).toEqual(new Set([1]))
  })

  test('a failure of the server is retried, and is not the fault of a record', async () => {
    const user = await as('user of A')
    const { sids, running } = await begin(user)
    let failures = 0
    const runRecords = createRecordRunner(api.services, {
      ...handlers,
      'PUT /PhoneNumbers/:phone_number_sid': async (context) => {
        if (context.params.phone_number_sid === sids[3] && (failures += 1) <= 2) throw new Error('broken')
        return handlers['PUT /PhoneNumbers/:phone_number_sid'](context)
      },
    })
    await createJob({ runRecords })()
    expect(await readChange(user, running)).toMatchObject({ status: 'running', done: 3, failed: 0 })
    await createJob({ runRecords })()
    expect(failures).toBe(1)
    for (const later of [minuteMs, 2 * minuteMs]) await createJob({ runRecords, now: () => Date.now() + later })()
    expect(await readChange(user, running)).toMatchObject({ status: 'finished', done: 101, failed: 0 })
  })

  test('are left as they are after a cancellation', async () => {
    const user = await as('user of A')
    const { sids, running } = await begin(user)
    const path = `/patchbay/bulk-changes/${running.bulk_change_sid}/cancel`
    const runRecords = createRecordRunner(api.services, {
      ...handlers,
      'PUT /PhoneNumbers/:phone_number_sid': async (context) => {
        if (context.params.phone_number_sid === sids[5]) await user.post(path, {})
        await handlers['PUT /PhoneNumbers/:phone_number_sid'](context)
      },
    })
    await createJob({ runRecords })()
    await createJob()()
    expect(await readChange(user, running)).toMatchObject({ status: 'canceled', done: 5, failed: 0 })
    expect(await countWith(world.things.A.application_sid, sids)).toBe(5)
    expect((await user.post(path, {})).status).toBe(204)
    for (const other of [await as('another user of A'), api.admin])
      expect([(await other.post(path, {})).status, (await other.get(path.replace('/cancel', ''))).status]).toEqual([
        404, 404,
      ])
  })

  const losing: [string, (user: TestUser) => Promise<unknown>, string][] = [
    [
      'becomes inactive',
      ({ sid }) => api.admin.put(`/Users/${sid}`, { is_active: 0 }),
      'The user or API key that requested it is no longer active',
    ],
    [
      'becomes view-only',
      ({ sid }) => api.admin.put(`/Users/${sid}`, { is_view_only: true }),
      'The user who requested it can only view now',
    ],
  ]
  test.each(losing)('stop if the user %s', async (_, lose, stop_reason) => {
    const user = await api.user({ account_sid: A, service_provider_sid: P })
    const { sids, running } = await begin(user.caller)
    await lose(user)
    await createJob()()
    const row = await db
      .selectFrom('patchbay_bulk_changes')
      .select(['status', 'stop_reason', 'due_at'])
      .where('bulk_change_sid', '=', running.bulk_change_sid)
      .executeTakeFirst()
    expect(row).toEqual({ status: 'stopped', stop_reason, due_at: null })
    expect(await countWith(world.things.A.application_sid, sids)).toBe(0)
  })

  test('are deleted from the queue with the user, and after a week', async () => {
    const user = await api.user({ account_sid: A, service_provider_sid: P })
    const { sids, running } = await begin(user.caller)
    const { running: ended } = await begin(api.admin)
    const stored = async ({ bulk_change_sid }: BulkChange) =>
      (
        await db
          .selectFrom('patchbay_bulk_change_records')
          .select('position')
          .where('bulk_change_sid', '=', bulk_change_sid)
          .execute()
      ).length
    expect((await api.admin.delete(`/Users/${user.sid}`)).status).toBe(204)
    expect([await stored(running), await stored(ended)]).toEqual([0, 101])
    await createJob()()
    expect(await countWith(world.things.A.application_sid, sids)).toBe(0)
    await createJob({ now: () => Date.now() + 8 * dayMs })()
    expect(await stored(ended)).toBe(0)
    expect((await api.admin.get(`/patchbay/bulk-changes/${ended.bulk_change_sid}`)).status).toBe(404)
  })

  test('a tenant can have five unfinished bulk changes', async () => {
    const user = await as('user of B')
    const sids = await insertNumbers(B, 101)
    for (let nth = 0; nth < 5; nth += 1) await change(user, setApplication(sids, null))
    expect((await post(user, setApplication(sids, null))).status).toBe(429)
    expect((await post(await as('user of A2'), setApplication(sids, null))).status).toBe(200)
    await createJob()()
    expect((await post(user, setApplication(sids, null))).status).toBe(200)
    await createJob()()
  })
})

test('an API key changes records, and reads only its own bulk changes', async () => {
  const key = api.as(world.keys['key of A'].token)
  const sids = await insertNumbers(A, 1)
  const changed = await change(key, setApplication(sids))
  expect(changed).toMatchObject({ status: 'finished', done: 1 })
  expect(await readChange(key, changed)).toEqual(changed)
  const other = await (await as('user of A')).get(`/patchbay/bulk-changes/${changed.bulk_change_sid}`)
  expect(statusAndMessage(other)).toEqual([404, 'Not Found'])
})

test('a dry run of a deletion checks access, and deletes nothing', async () => {
  const [own = ''] = await insertNumbers(A, 1)
  const [ofB = ''] = await insertNumbers(B, 1)
  const answer = await (await as('user of A')).post('/patchbay/bulk-changes/dry-run', {
    kind: 'phone_number',
    sids: [own, ofB],
  })
  const { number } = getRow(await api.admin.get(`/PhoneNumbers/${own}`))
  const { records } = answer.body as { records: DryRunRecord[] }
  const nothing = { blocked_by: [], used_by: [], deletes: [], changes: [] }
  expect(records).toEqual([
    { sid: own, name: number, reason: null, ...nothing },
    { sid: ofB, name: null, reason: 'This record does not exist, or you are not allowed to delete it', ...nothing },
  ])
  expect(member(await api.admin.get(`/PhoneNumbers/${own}`), 'phone_number_sid')).toBe(own)
})

describe('every kind', async () => {
  // No record of another test refers to those of this world.
  const unused = await createWorld(api)
  const { A: own, B: foreign } = unused.things
  const users = { own: unused.users['another user of A'], foreign: unused.users['user of B'] }
  const keys = { own: unused.keys['key of A'], foreign: unused.keys['key of B'] }
  interface Kind {
    own: string
    foreign: string
    values?: Row
  }
  /** Records of these kinds are deleted only with contents. */
  type ContentKind = 'sbc_address' | 'service_provider' | 'smpp_address'
  const thing = (name: keyof typeof own, values?: Row): Kind => ({
    own: own[name],
    foreign: foreign[name],
    ...(values && { values }),
  })
  /** A record of account A and one of account B, and an update. Records that others refer to come after these. */
  const kinds: Record<Exclude<BulkKindName, ContentKind>, Kind> = {
    phone_number: thing('phone_number_sid', { application_sid: own.application_sid }),
    ms_teams_tenant: thing('ms_teams_tenant_sid', { application_sid: own.application_sid }),
    lcr: thing('lcr_sid'),
    voip_carrier: thing('voip_carrier_sid', { is_active: 0, application_sid: null }),
    application: thing('application_sid', { record_all_calls: 1 }),
    client: thing('client_sid', { is_active: 0, allow_direct_app_calling: 0 }),
    alert_destination: thing('alert_destination_sid', { is_active: 0 }),
    speech_credential: thing('speech_credential_sid'),
    user: { own: users.own.user_sid, foreign: users.foreign.user_sid, values: { is_active: 0 } },
    api_key: { own: keys.own.api_key_sid, foreign: keys.foreign.api_key_sid },
    account: { own: unused.sid.A, foreign: unused.sid.B, values: { enable_debug_log: 1 } },
  }
  const run = async (kind: string, { own: ownSid, foreign: foreignSid }: Kind, operation: object) => {
    const sids = [foreignSid, ownSid]
    const before = await Promise.all(sids.map(readEntries))
    const user = await signedIn(api, unused.users['user of A'])
    const changed = await change(user, { kind, sids, ...operation })
    expect(changed).toMatchObject({ status: 'finished', done: 1, failed: 1 })
    expect(changed.failures).toEqual([{ kind, sid: foreignSid, name: null, reason: noAccess }])
    const [foreignEntries, [entry, ...older] = []] = await Promise.all(sids.map(readEntries))
    expect([foreignEntries, older]).toEqual(before)
    return entry
  }
  const updatable = Object.entries(kinds).filter(([, { values }]) => values !== undefined)
  test.each(updatable)('%s: updates own records only', async (kind, record) => {
    const entry = await run(kind, record, { operation: 'update', values: record.values })
    expect(entry).toMatchObject({ action: 'update', kind })
  })

  const deletable = Object.entries(kinds).filter(([kind]) => kind !== 'account')
  test.each(deletable)('%s: deletes own records only', async (kind, record) => {
    const user = await signedIn(api, unused.users['user of A'])
    const dry = await user.post('/patchbay/bulk-changes/dry-run', { kind, sids: [record.foreign, record.own] })
    expect((dry.body as { records: DryRunRecord[] }).records).toMatchObject([
      { sid: record.foreign, name: null, reason: 'This record does not exist, or you are not allowed to delete it' },
      { sid: record.own, reason: null, blocked_by: [] },
    ])
    expect(await run(kind, record, { operation: 'delete' })).toMatchObject({ action: 'delete', kind })
  })

  test.each([
    ['account', { operation: 'delete' }],
    ['service_provider', { operation: 'delete' }],
    ['service_provider', { operation: 'update', values: { name: 'x' } }],
    ['sbc_address', { operation: 'delete' }],
    ['sbc_address', { operation: 'delete_cascade' }],
    ['smpp_address', { operation: 'delete' }],
    ['lcr', { operation: 'update', values: { name: 'x' } }],
  ])('%s: an operation that the kind does not have is rejected', async (kind, operation) => {
    const answer = await post(api.admin, { kind, sids: [randomUUID()], ...operation })
    expect([answer.status, getRow(answer)['field']]).toEqual([400, 'kind'])
  })

  test('the user or API key of the request is not changed', async () => {
    const { user_sid } = world.users['user of A']
    const changed = await change(await as('user of A'), { kind: 'user', operation: 'delete', sids: [user_sid] })
    expect(changed.failures).toMatchObject([
      { reason: 'You cannot change your own user, or delete your own API key, in bulk' },
    ])
    const key = world.keys['key of A2']
    const { failed } = await change(api.as(key.token), {
      kind: 'api_key',
      operation: 'delete',
      sids: [key.api_key_sid],
    })
    expect(failed).toBe(1)
  })
})

test('a dry run counts the applications that lose a speech service', async () => {
  const account_sid = await api.account(P)
  const create = async (label: string) => {
    const body = { vendor: 'deepgram', label, use_for_stt: 1, api_key: 'of-deepgram' }
    return member(await api.admin.post(`/Accounts/${account_sid}/SpeechCredentials`, body), 'sid')
  }
  const [used, unused] = [await create('used'), await create('unused')]
  const hook = { url: 'https://a.example' }
  const speech = { speech_recognizer_vendor: 'deepgram', speech_recognizer_label: 'used' }
  await api.admin.post('/Applications', {
    name: 'Menu',
    account_sid,
    call_hook: hook,
    call_status_hook: hook,
    ...speech,
  })
  const answer = await api.admin.post('/patchbay/bulk-changes/dry-run', {
    kind: 'speech_credential',
    sids: [used, unused],
  })
  expect(getRow(answer)['records']).toMatchObject([
    { sid: used, reason: null, used_by: [{ name: 'applications', total: 1 }] },
    { sid: unused, reason: null, used_by: [] },
  ])
})

test('a dry run names what blocks a deletion, and what is deleted with a record', async () => {
  const account_sid = await api.account(P)
  const carrier = member(await api.admin.post('/VoipCarriers', { name: 'blocked', account_sid }), 'sid')
  await api.admin.post('/SipGateways', { voip_carrier_sid: carrier, ipv4: '192.0.2.1', inbound: 1, outbound: 0 })
  await api.admin.post('/PhoneNumbers', { number: '493012345', account_sid, voip_carrier_sid: carrier })
  const request = { kind: 'voip_carrier', sids: [carrier] }
  const answer = await api.admin.post('/patchbay/bulk-changes/dry-run', request)
  expect(getRow(answer)['records']).toEqual([
    {
      sid: carrier,
      name: 'blocked',
      reason: 'Other records refer to it',
      blocked_by: [{ name: 'phone_numbers', total: 1 }],
      used_by: [],
      deletes: [{ name: 'sip_gateways', total: 1 }],
      changes: [],
    },
  ])
  const { failures } = await change(api.admin, { ...request, operation: 'delete' })
  expect(failures).toMatchObject([{ name: 'blocked', reason: 'cannot delete voip carrier with active phone numbers' }])
})

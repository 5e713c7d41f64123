import { randomUUID } from 'node:crypto'
import { cascadeKinds } from '@patchbay/contract/bulk-changes/kinds'
import { createBulkChangeJob } from '@patchbay/server/jobs/change-records'
import { createCascade } from '@patchbay/server/resources/bulk-changes/cascade'
import { createRecordRunner } from '@patchbay/server/resources/bulk-changes/run-records'
import { createHandlers } from '@patchbay/server/resources/index'
import type { Caller } from '@patchbay/testkit/test-api'
import { createWorld, openTestApi, signedIn, type World } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { openShop } from './billing-support.ts'
import { type Handlers, openCascade } from './cascade-support.ts'
import { getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Deletion of an account with its contents, one record after another. */

const api = await openTestApi()
const { db } = api.test.database
const cascade = openCascade(api, 'account')
const { handlers, createJob, request, begin, readChange, readEntries, countEntries, insertNumber } = cascade

const exists = async (account_sid: string) => (await api.admin.get(`/Accounts/${account_sid}`)).status === 200

/** The account A has a record of each kind, seven users, one of which is view-only, and an API key. */
const contents = {
  'delete phone_number': 1,
  'delete ms_teams_tenant': 1,
  'delete client': 1,
  'delete lcr': 1,
  'delete voip_carrier': 1,
  'delete application': 1,
  'delete speech_credential': 1,
  'delete alert_destination': 1,
  'delete user': 4,
  'delete api_key': 1,
  'delete account': 1,
}
/** Addresses belong to no account. */
const ofProvidersOnly: ReadonlySet<string> = new Set(['sbc_address', 'smpp_address'])

const total = Object.values(contents).reduce((sum, each) => sum + each, 0)

const ofProvider = async (world: World) => signedIn(api, world.users['user of P'])

test('each record is deleted with its own audit entry, the account as the last, and nothing of others', async () => {
  const world = await createWorld(api)
  const { A, A2, P } = world.sid
  const caller = await ofProvider(world)
  const running = await begin(caller, A)
  expect(running).toMatchObject({
    kind: 'account',
    operation: 'delete_cascade',
    status: 'running',
    name: `account ${A}`,
    total,
    done: 0,
  })
  await createJob()()
  expect(await readChange(caller, running)).toMatchObject({ status: 'finished', total, done: total, failed: 0 })
  expect(await countEntries(A)).toEqual(contents)
  const entries = await readEntries(A)
  expect(entries.at(-1)).toMatchObject({ kind: 'account', actor_sid: world.users['user of P'].user_sid })
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(
    new Set(cascadeKinds.filter((kind) => !ofProvidersOnly.has(kind))),
  )
  expect(await exists(A)).toBe(false)
  expect([await exists(A2), await countEntries(A2)]).toEqual([true, {}])
  expect((await api.admin.get(`/PhoneNumbers/${world.things.A2.phone_number_sid}`)).status).toBe(200)
  expect((await api.admin.get(`/ServiceProviders/${P}`)).status).toBe(200)
})

test('records that refer to others of the account are deleted in order, and call routes go with the account', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const { application_sid, voip_carrier_sid, phone_number_sid } = world.things.A
  await cascade.insertRoutedApplication(A)
  await db
    .updateTable('phone_numbers')
    .set({ application_sid, voip_carrier_sid })
    .where('phone_number_sid', '=', phone_number_sid)
    .execute()
  await db
    .updateTable('voip_carriers')
    .set({ application_sid })
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  await db.updateTable('ms_teams_tenants').set({ application_sid }).where('account_sid', '=', A).execute()
  await db
    .updateTable('accounts')
    .set({ device_calling_application_sid: application_sid, siprec_hook_sid: application_sid })
    .where('account_sid', '=', A)
    .execute()
  const running = await begin(api.admin, A)
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', total, done: total, failed: 0 })
  expect(await countEntries(A)).toEqual({ ...contents, 'update account': 1 })
  expect(await exists(A)).toBe(false)
})

describe('a record outside of the account that uses one of it', () => {
  const useElsewhere: [string, (world: World) => Promise<unknown>, object][] = [
    [
      'number of the provider with an application',
      ({ sid: { P }, things }) => insertNumber({ service_provider_sid: P, application_sid: things.A.application_sid }),
      { kind: 'application', used_by: 'phone_numbers' },
    ],
    [
      'routing of the provider with a carrier',
      ({ sid: { P }, things }) => cascade.insertRouting(things.A.voip_carrier_sid, { service_provider_sid: P }),
      { kind: 'voip_carrier', used_by: 'lcrs' },
    ],
    [
      'account that another one uses for device calls',
      ({ sid: { A2 }, things }) =>
        db
          .updateTable('accounts')
          .set({ device_calling_application_sid: things.A.application_sid })
          .where('account_sid', '=', A2)
          .execute(),
      { kind: 'application', used_by: 'device_calling_accounts' },
    ],
  ]
  test.each(useElsewhere)('rejects the deletion before anything is deleted: %s', async (_, use, expected) => {
    const world = await createWorld(api)
    const { A } = world.sid
    const caller = await ofProvider(world)
    const path = `/patchbay/accounts/${A}/used-elsewhere`
    expect((await caller.get(path)).body).toEqual([])
    await use(world)
    const [used] = (await caller.get(path)).body as Row[]
    expect(used).toMatchObject(expected)
    const rejected = await request(caller, A)
    expect(rejected.status).toBe(422)
    expect(getRow(rejected)['msg']).toMatch(/^records outside of the account use its (application|carrier) /)
    expect(await countEntries(A)).toEqual({})
    expect((await caller.get('/patchbay/bulk-changes')).body).toEqual([])
  })

  test('is reported with its name if it appears meanwhile, and the account and its users are kept', async () => {
    const world = await createWorld(api)
    const { A, P } = world.sid
    const { application_sid, client_sid } = world.things.A
    const running = await begin(api.admin, A)
    const job = createJob({
      'DELETE /Clients/:client_sid': async (context) => {
        await handlers['DELETE /Clients/:client_sid'](context)
        if (context.params.client_sid === client_sid) await insertNumber({ service_provider_sid: P, application_sid })
      },
    })
    await job()
    const changed = await readChange(api.admin, running)
    expect(changed).toMatchObject({ status: 'finished', total: 7, done: 5, failed: 2 })
    expect(changed.failures).toEqual([
      {
        kind: 'application',
        sid: application_sid,
        name: `application ${application_sid}`,
        reason: 'cannot delete application with phone numbers',
      },
      {
        kind: 'account',
        sid: A,
        name: `account ${A}`,
        reason: 'The account was kept, because some of its records could not be deleted',
      },
    ])
    expect(await exists(A)).toBe(true)
    const { 'delete user': users, 'delete account': account, 'delete client': clients } = await countEntries(A)
    expect([users, account, clients]).toEqual([undefined, undefined, 1])
  })
})

test('records that are created meanwhile are deleted, and one that moves to another account stays', async () => {
  const world = await createWorld(api)
  const { A, A2 } = world.sid
  const moved = await insertNumber({ account_sid: A })
  let added = ''
  const running = await begin(api.admin, A)
  await createJob({
    'DELETE /PhoneNumbers/:phone_number_sid': async (context) => {
      if (context.params.phone_number_sid === moved)
        // The number moves between the checks of access and the transaction of the deletion.
        await db.updateTable('phone_numbers').set({ account_sid: A2 }).where('phone_number_sid', '=', moved).execute()
      await handlers['DELETE /PhoneNumbers/:phone_number_sid'](context)
    },
    'DELETE /ApiKeys/:api_key_sid': async (context) => {
      added ||= await insertNumber({ account_sid: A })
      await handlers['DELETE /ApiKeys/:api_key_sid'](context)
    },
  })()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', total: total + 1, failed: 0 })
  expect(await countEntries(A)).toEqual({ ...contents, 'delete phone_number': 2 })
  expect(getRow(await api.admin.get(`/PhoneNumbers/${moved}`))['account_sid']).toBe(A2)
  expect((await api.admin.get(`/PhoneNumbers/${added}`)).status).toBe(404)
})

test('a record that someone else deletes meanwhile is no failure', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const { client_sid } = world.things.A
  const running = await begin(api.admin, A)
  await createJob({
    'DELETE /Clients/:client_sid': async (context) => {
      await api.admin.delete(`/Clients/${client_sid}`)
      await handlers['DELETE /Clients/:client_sid'](context)
    },
  })()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', total: total - 1, failed: 0 })
  expect(await countEntries(A)).toEqual(contents)
})

test('an account that someone else deletes meanwhile is no failure', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const [first, second] = [await begin(api.admin, A), await begin(await ofProvider(world), A)]
  await createJob({
    'DELETE /ApiKeys/:api_key_sid': async (context) => {
      await api.admin.delete(`/Accounts/${A}`)
      await handlers['DELETE /ApiKeys/:api_key_sid'](context)
    },
  })()
  for (const [caller, running] of [
    [api.admin, first],
    [await ofProvider(world), second],
  ] as const)
    expect(await readChange(caller, running)).toMatchObject({ status: 'finished', failed: 0 })
  expect((await countEntries(A))['delete account']).toBe(1)
})

test('an account with more records than fit in a part is deleted completely', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const rows = Array.from({ length: 1100 }, () => ({ client_sid: randomUUID(), account_sid: A }))
  for (let first = 0; first < rows.length; first += 100)
    await db
      .insertInto('clients')
      .values(rows.slice(first, first + 100).map((row) => ({ ...row, username: row.client_sid })))
      .execute()
  const running = await begin(api.admin, A)
  expect(running.total).toBe(total + 1100)
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', done: total + 1100, failed: 0 })
  expect(await exists(A)).toBe(false)
})

test('an account with too many records is rejected, or kept if they are created meanwhile', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const ofServices = (maxRecords: number) => createCascade(api.services, maxRecords)
  await expect(ofServices(total - 1).readOwner({ kind: 'account', sid: A })).rejects.toMatchObject({ status: 422 })
  expect(await ofServices(total).readOwner({ kind: 'account', sid: A })).toMatchObject({ sid: A, total })
  const running = await begin(api.admin, A)
  await createJob({}, new AbortController().signal, ofServices(3))()
  expect(await readChange(api.admin, running)).toMatchObject({
    status: 'finished',
    done: 3,
    failed: 1,
    failures: [{ kind: 'account', reason: 'The account was kept, because more than 3 records belonged to it' }],
  })
  expect(await exists(A)).toBe(true)
})

test('a process that was stopped continues where it ended, and a canceled deletion keeps the account', async () => {
  const world = await createWorld(api)
  const { A } = world.sid
  const running = await begin(api.admin, A)
  const stopping = new AbortController()
  const stopAfterCarrier: Partial<Handlers> = {
    'DELETE /VoipCarriers/:voip_carrier_sid': async (context) => {
      await handlers['DELETE /VoipCarriers/:voip_carrier_sid'](context)
      stopping.abort()
    },
  }
  await createJob(stopAfterCarrier, stopping.signal)()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'running', done: 5, total })
  const { bulk_change_sid } = running
  expect((await api.admin.post(`/patchbay/bulk-changes/${bulk_change_sid}/cancel`, {})).status).toBe(204)
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'canceled', done: 5 })
  expect(await exists(A)).toBe(true)
  const again = await begin(api.admin, A)
  expect(again.total).toBe(total - 5)
  await createJob()()
  expect(await readChange(api.admin, again)).toMatchObject({ status: 'finished', done: total - 5 })
  expect(await countEntries(A)).toEqual(contents)
})

describe('rights', () => {
  test('users and keys of the account cannot delete it with its contents, and others find none', async () => {
    const world = await createWorld(api)
    const { A } = world.sid
    const callers: [Caller, number][] = [
      [await signedIn(api, world.users['user of A']), 403],
      [api.as(world.keys['key of A'].token), 403],
      [await signedIn(api, world.users['view-only user of P']), 403],
      [
        await signedIn(api, world.users['user of Q']),
        (await (await signedIn(api, world.users['user of Q'])).delete(`/Accounts/${A}`)).status,
      ],
    ]
    for (const [caller, status] of callers) expect((await request(caller, A)).status).toBe(status)
    expect(statusAndMessage(await request(api.admin, randomUUID()))).toEqual([404, 'Not Found'])
    expect(await countEntries(A)).toEqual({})
  })

  test('a user who belongs to the account now deletes nothing more', async () => {
    const world = await createWorld(api)
    const { A, P } = world.sid
    const user = await api.user({ service_provider_sid: P })
    const running = await begin(user.caller, A)
    await db.updateTable('users').set({ account_sid: A }).where('user_sid', '=', user.sid).execute()
    await createJob()()
    expect(await cascade.readStored(running)).toEqual({
      status: 'stopped',
      stop_reason: 'The user or API key that requested it belongs to an account now',
    })
    expect(await countEntries(A)).toEqual({})
  })

  test('invalid requests are rejected with the field', async () => {
    const world = await createWorld(api)
    const { A, A2 } = world.sid
    const body = { kind: 'account', operation: 'delete_cascade', sids: [A] }
    const rejected: [object, string][] = [
      [{ ...body, kind: 'client' }, 'kind'],
      [{ ...body, sids: [A, A2] }, 'sids'],
      [{ ...body, values: {} }, 'values'],
      [{ ...body, operation: 'delete' }, 'kind'],
    ]
    for (const [invalid, field] of rejected) {
      const answer = await api.admin.post('/patchbay/bulk-changes', invalid)
      expect([answer.status, getRow(answer)['field']]).toEqual([400, field])
    }
  })
})

test('the subscription of the account ends with it, and a failure in between is repeated', async () => {
  const shop = await openShop()
  try {
    const { admin, services, test: shopTest } = shop.api
    const customer = await shop.customer()
    await customer.upgrade('visa')
    const running = await begin(admin, customer.account_sid)
    let attempts = 0
    const shopHandlers = createHandlers(services)
    const runRecords = createRecordRunner(services, {
      ...shopHandlers,
      // The process ends between the end of the subscription and the deletion.
      'DELETE /Accounts/:account_sid': async (context) => {
        attempts += 1
        if (attempts > 1) return shopHandlers['DELETE /Accounts/:account_sid'](context)
        const { bulkStep: _step, ...author } = context.actor
        await services.billing?.close(context.params.account_sid, author)
        throw new Error('killed')
      },
    })
    const job = (later: number) =>
      createBulkChangeJob({
        database: shopTest.database,
        runRecords,
        now: () => Date.now() + later,
        signal: new AbortController().signal,
      })()
    await job(0)
    expect((await admin.get(`/Accounts/${customer.account_sid}`)).status).toBe(200)
    // The lease of the closing still keeps others from starting a subscription, which is no failure of the account.
    await job(1500)
    expect(await readChange(admin, running)).toMatchObject({ status: 'running', failed: 0 })
    const { account_sid } = customer
    await shopTest.database.db
      .updateTable('patchbay_billing')
      .set({ claimed_until: 0 })
      .where('account_sid', '=', account_sid)
      .execute()
    await job(10_000)
    expect(attempts).toBe(3)
    expect(await readChange(admin, running)).toMatchObject({ status: 'finished', failed: 0 })
    const trail = getRow(
      await admin.get(`/patchbay/audit-trail?page=1&count=100&account_sid=${account_sid}&kind=account`),
    )
    expect((trail['data'] as Row[]).filter(({ action }) => action === 'delete')).toHaveLength(1)
    expect([...shop.stripe.state.subscriptions.values()].map(({ status }) => status)).toEqual(['canceled'])
    expect((await admin.get(`/Accounts/${customer.account_sid}`)).status).toBe(404)
  } finally {
    await shop.close()
  }
})

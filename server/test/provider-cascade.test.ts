import { randomUUID } from 'node:crypto'
import { cascadeKinds } from '@patchbay/contract/bulk-changes/kinds'
import type { AllProviderContents } from '@patchbay/contract/service-providers'
import { type Caller, member } from '@patchbay/testkit/test-api'
import { createWorld, newMailbox, openTestApi, signedIn, type World } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { openCascade } from './cascade-support.ts'
import { getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Deletion of a service provider with its contents: those of all its accounts, and its own. */

const api = await openTestApi()
const { db } = api.test.database
const cascade = openCascade(api, 'service_provider')
const { handlers, createJob, request, begin, readChange, readEntries, countEntries, insertNumber } = cascade

const status = async (path: string) => (await api.admin.get(path)).status

/** Inserts records of each kind that belong to provider P itself, with what it and its accounts use of each other. */
const insertOwn = async ({ sid: { P, A }, things }: World) => {
  const own = { service_provider_sid: P }
  const [application_sid, voip_carrier_sid] = [randomUUID(), randomUUID()]
  await db
    .insertInto('applications')
    .values({ ...own, application_sid, name: 'Shared' })
    .execute()
  await db
    .insertInto('voip_carriers')
    .values({ ...own, voip_carrier_sid, name: 'Shared', application_sid: things.A.application_sid })
    .execute()
  await db
    .insertInto('speech_credentials')
    .values({ ...own, speech_credential_sid: randomUUID(), vendor: 'aws', credential: '' })
    .execute()
  await insertNumber({ ...own, application_sid: things.A2.application_sid })
  // A number that names only a carrier belongs to the provider of the carrier.
  await insertNumber({ voip_carrier_sid: things.A2.voip_carrier_sid })
  await insertNumber({ voip_carrier_sid })
  // jambonz stores an empty account with the routing of a provider.
  await cascade.insertRouting(things.A.voip_carrier_sid, { ...own, account_sid: '' })
  await db
    .insertInto('sbc_addresses')
    .values({ ...own, sbc_address_sid: randomUUID(), ipv4: '10.0.0.1' })
    .execute()
  await db
    .insertInto('smpp_addresses')
    .values({ ...own, smpp_address_sid: randomUUID(), ipv4: '10.0.0.1' })
    .execute()
  await db
    .insertInto('patchbay_alert_destinations')
    .values({ ...newMailbox, ...own, alert_destination_sid: randomUUID() })
    .execute()
  const rules = await api.admin.put(`/patchbay/ServiceProviders/${P}/MaskingRules`, { patterns: [] })
  expect(rules.status).toBe(204)
  // An account uses the application of another one, which is deleted before it.
  await db
    .updateTable('accounts')
    .set({ device_calling_application_sid: things.A2.application_sid, siprec_hook_sid: application_sid })
    .where('account_sid', '=', A)
    .execute()
}

/** P has the accounts A and A2 with a record of each kind, eight users, three API keys, and what `insertOwn` inserts. */
const contents = {
  'delete phone_number': 5,
  'delete ms_teams_tenant': 2,
  'delete client': 2,
  'delete lcr': 3,
  'delete voip_carrier': 3,
  'delete application': 3,
  'delete speech_credential': 3,
  'delete alert_destination': 3,
  'delete sbc_address': 1,
  'delete smpp_address': 1,
  'delete user': 8,
  'delete api_key': 3,
  'delete account': 2,
  'delete service_provider': 1,
}
const total = Object.values(contents).reduce((sum, each) => sum + each, 0)

const createFullWorld = async (): Promise<World> => {
  const world = await createWorld(api)
  await insertOwn(world)
  return world
}

/** Returns the entries of deletions, and of the updates that they need. */
const countChanges = async (P: string) =>
  Object.fromEntries(
    Object.entries(await countEntries(P)).filter(([name]) => name.startsWith('delete') || name === 'update account'),
  )

test('each record of all accounts and of the provider is deleted with an entry of its own, the provider last', async () => {
  const world = await createFullWorld()
  const { A, A2, B, P, Q } = world.sid
  const counts = getRow(await api.admin.get(`/patchbay/service-providers/${P}/all-contents`))
  expect(counts).toMatchObject({
    accounts: 2,
    users: 8,
    api_keys: 3,
    applications: 3,
    phone_numbers: 5,
    voip_carriers: 3,
    lcrs: 3,
    clients: 2,
    ms_teams_tenants: 2,
    speech_credentials: 3,
    sbc_addresses: 1,
    account_limits: 2,
    service_provider_limits: 1,
  } satisfies Partial<AllProviderContents>)
  const running = await begin(api.admin, P)
  expect(running).toMatchObject({
    kind: 'service_provider',
    operation: 'delete_cascade',
    status: 'running',
    name: `provider ${P}`,
    total,
    done: 0,
  })
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', total, done: total, failed: 0 })
  expect(await countChanges(P)).toEqual({ ...contents, 'update account': 1 })
  const deleted = (await readEntries(P)).filter(({ action }) => action === 'delete').map(({ kind }) => kind)
  expect(deleted.slice(-3)).toEqual(['account', 'account', 'service_provider'])
  expect(new Set(deleted)).toEqual(new Set([...cascadeKinds, 'service_provider']))
  const paths = [`/Accounts/${A}`, `/Accounts/${A2}`, `/ServiceProviders/${P}`]
  expect(await Promise.all(paths.map(status))).toEqual([404, 404, 404])
  expect(await Promise.all([`/ServiceProviders/${Q}`, `/Accounts/${B}`].map(status))).toEqual([200, 200])
  expect(await countEntries(Q)).toEqual({})
  const rules = await db
    .selectFrom('patchbay_masking_rules')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', P)
    .execute()
  expect(rules).toEqual([])
})

test('applications with call routes go with their account, also if another account uses them', async () => {
  const world = await createWorld(api)
  const { A, A2, P } = world.sid
  // No other application is left, before which the accounts would be updated.
  for (const { application_sid } of [world.things.A, world.things.A2])
    expect((await api.admin.delete(`/Applications/${application_sid}`)).status).toBe(204)
  // Each account uses the application of the other one, so neither could be deleted first.
  for (const [account_sid, another] of [
    [A, A2],
    [A2, A],
  ] as const) {
    const device_calling_application_sid = await cascade.insertRoutedApplication(account_sid)
    await db
      .updateTable('accounts')
      .set({ device_calling_application_sid })
      .where('account_sid', '=', another)
      .execute()
  }
  const running = await begin(api.admin, P)
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', failed: 0 })
  expect(await status(`/ServiceProviders/${P}`)).toBe(404)
})

describe('a record outside of the provider that uses one of it', () => {
  const useElsewhere: [string, (world: World) => Promise<unknown>, object][] = [
    [
      'number of the platform with an application of an account',
      ({ things }) => insertNumber({ application_sid: things.A.application_sid }),
      { kind: 'application', used_by: 'phone_numbers' },
    ],
    [
      'number of another provider with a carrier of an account',
      ({ sid: { Q }, things }) =>
        insertNumber({ service_provider_sid: Q, voip_carrier_sid: things.A2.voip_carrier_sid }),
      { kind: 'voip_carrier', used_by: 'phone_numbers' },
    ],
    [
      'routing of the platform with a carrier',
      ({ things }) => cascade.insertRouting(things.A.voip_carrier_sid, {}),
      { kind: 'voip_carrier', used_by: 'lcrs' },
    ],
    [
      'account of another provider that uses an application for device calls',
      ({ sid: { B }, things }) =>
        db
          .updateTable('accounts')
          .set({ device_calling_application_sid: things.A.application_sid })
          .where('account_sid', '=', B)
          .execute(),
      { kind: 'application', used_by: 'device_calling_accounts' },
    ],
    [
      'carrier of another provider’s account that names this provider',
      ({ sid: { P, B } }) =>
        db
          .insertInto('voip_carriers')
          .values({ voip_carrier_sid: randomUUID(), name: 'lost', account_sid: B, service_provider_sid: P })
          .execute(),
      { kind: 'service_provider', used_by: 'voip_carriers' },
    ],
  ]
  test.each(useElsewhere)('rejects the deletion before anything is deleted: %s', async (_, use, expected) => {
    const world = await createWorld(api)
    const { P } = world.sid
    const path = `/patchbay/service-providers/${P}/used-elsewhere`
    expect((await api.admin.get(path)).body).toEqual([])
    await use(world)
    expect((await api.admin.get(path)).body).toMatchObject([expected])
    const rejected = await request(api.admin, P)
    expect([rejected.status, member(rejected, 'code')]).toEqual([422, 'cascade_rejected'])
    expect(getRow(rejected)['msg']).toMatch(
      /^records outside of the service provider use (it|its (application|carrier) .+)$/,
    )
    expect(await countEntries(P)).toEqual({})
  })

  test('is reported with its name if it appears meanwhile, and the provider, its accounts, and users are kept', async () => {
    const world = await createWorld(api)
    const { A, A2, P } = world.sid
    const { application_sid } = world.things.A2
    const running = await begin(api.admin, P)
    await createJob({
      'DELETE /VoipCarriers/:voip_carrier_sid': async (context) => {
        await handlers['DELETE /VoipCarriers/:voip_carrier_sid'](context)
        if (context.params.voip_carrier_sid === world.things.A.voip_carrier_sid) await insertNumber({ application_sid })
      },
    })()
    const changed = await readChange(api.admin, running)
    // The number, tenant, client, routing, and carrier of each account are deleted, and the application of A.
    expect(changed).toMatchObject({ status: 'finished', total: 13, done: 11, failed: 2 })
    expect(changed.failures).toEqual([
      {
        kind: 'application',
        sid: application_sid,
        name: `application ${application_sid}`,
        reason: 'cannot delete application with phone numbers',
      },
      {
        kind: 'service_provider',
        sid: P,
        name: `provider ${P}`,
        reason: 'The service provider was kept, because some of its records could not be deleted',
      },
    ])
    const paths = [`/ServiceProviders/${P}`, `/Accounts/${A}`, `/Accounts/${A2}`]
    expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200])
    const { 'delete user': users, 'delete api_key': keys } = await countEntries(P)
    expect([users, keys]).toEqual([undefined, undefined])
  })
})

test('records and accounts that are created meanwhile are deleted, and one that moves to another provider stays', async () => {
  const world = await createWorld(api)
  const { A, B, P } = world.sid
  const moved = await insertNumber({ account_sid: A })
  let [number, account] = ['', '']
  const running = await begin(api.admin, P)
  await createJob({
    'DELETE /PhoneNumbers/:phone_number_sid': async (context) => {
      if (context.params.phone_number_sid === moved)
        // The number moves between the checks of access and the transaction of the deletion.
        await db.updateTable('phone_numbers').set({ account_sid: B }).where('phone_number_sid', '=', moved).execute()
      await handlers['DELETE /PhoneNumbers/:phone_number_sid'](context)
    },
    'DELETE /ApiKeys/:api_key_sid': async (context) => {
      account ||= await api.account(P)
      number ||= await insertNumber({ account_sid: account })
      await handlers['DELETE /ApiKeys/:api_key_sid'](context)
    },
  })()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'finished', failed: 0 })
  expect(getRow(await api.admin.get(`/PhoneNumbers/${moved}`))['account_sid']).toBe(B)
  const paths = [`/PhoneNumbers/${number}`, `/Accounts/${account}`, `/ServiceProviders/${P}`]
  expect(await Promise.all(paths.map(status))).toEqual([404, 404, 404])
})

test('accounts and the provider that someone else deletes meanwhile are no failure', async () => {
  const world = await createWorld(api)
  const { A, P } = world.sid
  const [first, second] = [await begin(api.admin, P), await begin(await signedIn(api, world.users.admin), P)]
  await createJob({
    'DELETE /ApiKeys/:api_key_sid': async (context) => {
      await api.admin.delete(`/Accounts/${A}`)
      await handlers['DELETE /ApiKeys/:api_key_sid'](context)
    },
  })()
  expect(await readChange(api.admin, first)).toMatchObject({ status: 'finished', failed: 0 })
  expect(await readChange(await signedIn(api, world.users.admin), second)).toMatchObject({
    status: 'finished',
    failed: 0,
  })
  const entries = await countEntries(P)
  expect([entries['delete account'], entries['delete service_provider']]).toEqual([2, 1])
})

test('a process that was stopped continues where it ended, and a canceled deletion keeps the provider', async () => {
  const world = await createFullWorld()
  const { P } = world.sid
  const running = await begin(api.admin, P)
  const stopping = new AbortController()
  await createJob(
    {
      'DELETE /Sbcs/:sbc_address_sid': async (context) => {
        await handlers['DELETE /Sbcs/:sbc_address_sid'](context)
        stopping.abort()
      },
    },
    stopping.signal,
  )()
  const { done } = await readChange(api.admin, running)
  // The SMPP address, users, API keys, accounts, and the provider are left.
  expect(done).toBe(total - 15)
  const { bulk_change_sid } = running
  expect((await api.admin.post(`/patchbay/bulk-changes/${bulk_change_sid}/cancel`, {})).status).toBe(204)
  await createJob()()
  expect(await readChange(api.admin, running)).toMatchObject({ status: 'canceled', done })
  expect(await status(`/ServiceProviders/${P}`)).toBe(200)
  const again = await begin(api.admin, P)
  expect(again.total).toBe(total - done)
  await createJob()()
  expect(await readChange(api.admin, again)).toMatchObject({ status: 'finished', done: total - done, failed: 0 })
  expect(await countChanges(P)).toEqual({ ...contents, 'update account': 1 })
})

describe('rights', () => {
  test('only administrators can delete a provider with its contents, and an unknown one is not found', async () => {
    const world = await createWorld(api)
    const { A, P } = world.sid
    const callers: Caller[] = [
      await signedIn(api, world.users['user of A']),
      await signedIn(api, world.users['user of P']),
      await signedIn(api, world.users['user of Q']),
      await signedIn(api, world.users['view-only admin']),
      api.as(world.keys['key of P'].token),
    ]
    for (const caller of callers) {
      expect((await request(caller, P)).status).toBe(403)
      expect((await request(caller, randomUUID())).status).toBe(403)
    }
    expect(statusAndMessage(await request(api.admin, randomUUID()))).toEqual([404, 'Not Found'])
    // The SID of an account is that of no provider.
    expect(statusAndMessage(await request(api.admin, A))).toEqual([404, 'Not Found'])
    expect(await countEntries(P)).toEqual({})
  })

  test.each(['P', 'Q'] as const)('an administrator who belongs to %s now deletes nothing more', async (provider) => {
    const world = await createWorld(api)
    const { P } = world.sid
    const { user_sid } = world.users.admin
    const running = await begin(await signedIn(api, world.users.admin), P)
    await db
      .updateTable('users')
      .set({ service_provider_sid: world.sid[provider] })
      .where('user_sid', '=', user_sid)
      .execute()
    await createJob()()
    expect(await cascade.readStored(running)).toEqual({
      status: 'stopped',
      stop_reason: 'The user or API key that requested it belongs to a tenant now',
    })
    expect(await countEntries(P)).toEqual({})
  })
})

test('the only service provider is kept', async () => {
  const single = await openTestApi()
  const [provider, ...others] = (await single.admin.get('/ServiceProviders')).body as Row[]
  expect(others).toEqual([])
  const sid = String(provider?.['service_provider_sid'])
  const only = openCascade(single, 'service_provider')
  expect(statusAndMessage(await only.request(single.admin, sid))).toEqual([
    422,
    'the only service provider cannot be deleted',
  ])
  await single.provider()
  await only.begin(single.admin, sid)
})

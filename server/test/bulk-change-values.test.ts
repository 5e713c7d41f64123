import { randomUUID } from 'node:crypto'
import { type BulkField, bulkFields, type UpdatableKind } from '@patchbay/contract/bulk-changes/fields'
import { openTestWorld, signedIn, type UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test, vi } from 'vitest'
import { change, createBulkSupport, dryRun, noAccess, undo } from './bulk-change-support.ts'
import { getRow } from './fixtures.ts'

/** Changes of fields in bulk, and dry runs of them. */

const { api, world } = await openTestWorld()
const { A, A2, B, P } = world.sid
const as = (name: UserName) => signedIn(api, world.users[name])
const { fresh, create, createApplication, createCarrier, createCarriers, readCarrier, readEntries } =
  createBulkSupport(api)

const nothing = { blocked_by: [], used_by: [], deletes: [] }

describe('a dry run of an update', () => {
  test('names the values that are replaced, and the records that are refused, and changes nothing', async () => {
    const user = await as('user of P')
    const application_sid = await createApplication(A)
    const plain = await createCarrier(A)
    const equal = await createCarrier(A, { application_sid, dtmf_type: 'tones' })
    const ofA2 = await createCarrier(A2)
    const ofB = await createCarrier(B)
    const sids = [plain, equal, ofA2, ofB]
    const before = await Promise.all(sids.map(readCarrier))
    const entries = await Promise.all(sids.map(readEntries))
    const request = { kind: 'voip_carrier', values: { application_sid, dtmf_type: 'tones' }, sids }
    const [first, second, third, fourth] = await dryRun(user, request)
    expect(first).toEqual({
      sid: plain,
      name: before[0]?.['name'],
      reason: null,
      ...nothing,
      changes: [
        { field: 'application_sid', before: null, after: application_sid },
        { field: 'dtmf_type', before: 'rfc2833', after: 'tones' },
      ],
    })
    expect(second).toMatchObject({ reason: null, changes: [] })
    expect(third).toMatchObject({
      sid: ofA2,
      name: before[2]?.['name'],
      reason: 'application_sid does not exist for specified account_sid',
      changes: [],
    })
    expect(fourth).toEqual({ sid: ofB, name: null, reason: noAccess, ...nothing, changes: [] })
    expect(await Promise.all(sids.map(readCarrier))).toEqual(before)
    expect(await Promise.all(sids.map(readEntries))).toEqual(entries)

    const { done, failed, failures } = await change(user, request)
    expect([done, failed]).toEqual([2, 2])
    expect(failures.map(({ sid, name, reason }) => [sid, name, reason])).toEqual(
      [third, fourth].map((record) => [record?.sid, record?.name, record?.reason]),
    )
  })

  test('refuses the application of another tenant, and one that does not exist, at each record', async () => {
    const user = await as('user of P')
    const sids = await createCarriers(A, 2)
    const foreign = await dryRun(user, {
      kind: 'voip_carrier',
      values: { application_sid: await createApplication(B) },
      sids,
    })
    expect(foreign.map(({ reason }) => reason)).toEqual(
      sids.map(() => 'application_sid does not exist for specified account_sid'),
    )
    const unknown = await dryRun(user, { kind: 'voip_carrier', values: { application_sid: randomUUID() }, sids })
    expect(unknown.map(({ reason }) => reason)).toEqual(sids.map(() => 'unknown application_sid'))
    const ofB = await dryRun(user, { kind: 'client', values: { account_sid: B }, sids: [world.things.A.client_sid] })
    expect(ofB[0]?.reason).toMatch(/account_sid|permission/)
  })

  test('ends no session of a user who would be disabled', async () => {
    const user = await api.user({ account_sid: A, service_provider_sid: P })
    const endAll = vi.spyOn(api.services.sessions, 'endAll')
    const values = { is_active: 0 }
    const [record] = await dryRun(api.admin, { kind: 'user', values, sids: [user.sid] })
    expect(record?.changes).toEqual([{ field: 'is_active', before: 1, after: 0 }])
    expect(endAll.mock.calls).toEqual([])
    expect((await user.caller.get(`/Users/${user.sid}`)).status).toBe(200)
    await change(api.admin, { kind: 'user', values, sids: [user.sid] })
    expect(endAll.mock.calls).toHaveLength(1)
    endAll.mockRestore()
  })

  test('does not offer to change the user of the request', async () => {
    const { user_sid } = world.users['user of A']
    const [record] = await dryRun(await as('user of A'), {
      kind: 'user',
      values: { force_change: 1 },
      sids: [user_sid],
    })
    expect(record?.reason).toBe('You cannot change your own user, or delete your own API key, in bulk')
  })

  test.each([
    [{ kind: 'voip_carrier', values: {} }, 'values'],
    [{ kind: 'voip_carrier', values: { name: 'x' } }, 'name'],
    [{ kind: 'voip_carrier', values: { dtmf_type: 'morse' } }, 'dtmf_type'],
    [{ kind: 'lcr', values: { name: 'x' } }, 'kind'],
    [{ kind: 'voip_carrier', operation: 'delete', values: { is_active: 1 } }, 'values'],
    [{ kind: 'account', operation: 'delete' }, 'kind'],
  ])('rejects the request %o', async (body, field) => {
    const sids = [randomUUID()]
    const answer = await api.admin.post('/patchbay/bulk-changes/dry-run', { operation: 'update', ...body, sids })
    expect([answer.status, getRow(answer)['field']]).toEqual([400, field])
  })
})

describe('every field of every kind', () => {
  const records: Record<UpdatableKind, () => Promise<[path: string, sid: string]>> = {
    account: async () => ['/Accounts', await create('/Accounts', { name: fresh(), service_provider_sid: P })],
    alert_destination: async () => {
      const destination = { name: fresh(), kind: 'webhook', target: 'https://alerts.example.org', account_sid: A }
      return ['/patchbay/alert-destinations', await create('/patchbay/alert-destinations', destination)]
    },
    application: async () => ['/Applications', await createApplication(A)],
    client: async () => ['/Clients', await create('/Clients', { username: fresh(), account_sid: A, password: 'p' })],
    ms_teams_tenant: async () => {
      const tenant = { service_provider_sid: P, account_sid: A, tenant_fqdn: `${fresh()}.example.org` }
      return ['/MicrosoftTeamsTenants', await create('/MicrosoftTeamsTenants', tenant)]
    },
    phone_number: async () => ['/PhoneNumbers', await create('/PhoneNumbers', { number: fresh(), account_sid: A })],
    user: async () => ['/Users', (await api.user({ account_sid: A, service_provider_sid: P })).sid],
    voip_carrier: async () => ['/VoipCarriers', await createCarrier(A)],
  }
  const fields = Object.entries(bulkFields).flatMap(([kind, all]) =>
    Object.entries<BulkField>(all).map(([name, { type }]) => [kind as UpdatableKind, name, type] as const),
  )
  const choose = async (type: BulkField['type'], present: unknown): Promise<string | number> => {
    if (type === 'flag') return present ? 0 : 1
    if (type === 'account') return A2
    return type === 'application' ? createApplication(A) : 'tones'
  }

  test.each(fields)('%s: %s is previewed, changed, and restored', async (kind, field, type) => {
    const [path, sid] = await records[kind]()
    const read = async () => getRow(await api.admin.get(`${path}/${sid}`))
    const before = await read()
    const after = await choose(type, before[field])
    const request = { kind, values: { [field]: after }, sids: [sid] }
    const [preview] = await dryRun(api.admin, request)
    expect(preview?.changes).toMatchObject([{ field, after }])
    const changed = await change(api.admin, request)
    expect(changed).toMatchObject({ done: 1, failed: 0, undo_seconds: 60, undoes: null })
    expect(Object(await read())[field]).not.toEqual(before[field])
    expect(await undo(api.admin, changed)).toMatchObject({
      kind,
      operation: 'update',
      status: 'finished',
      total: 1,
      done: 1,
      failed: 0,
      undoes: changed.bulk_change_sid,
      undo_seconds: 0,
    })
    expect(await read()).toEqual(before)
    const audited = (await readEntries(sid)).filter(({ action }) => action === 'update')
    expect(audited).toHaveLength(2)
  })
})

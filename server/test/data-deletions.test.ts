import { randomUUID } from 'node:crypto'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import {
  countRows,
  fillTables,
  firstCallMs,
  listDeletions,
  readDetails,
  runDeletions,
  storeCall,
  type Tenant,
} from './deletion-support.ts'
import { storeTrace } from './fixtures.ts'

/** Deletion of the call data of accounts, by a request and with the account. */

const api = await openTestApi()

const createTenant = async (service_provider_sid?: string): Promise<Tenant> => {
  const provider = service_provider_sid ?? (await api.provider())
  return { account_sid: await api.account(provider), service_provider_sid: provider }
}

const everything = { trace: true, linked: true, sip: true, log: true }
const nothing = { trace: false, linked: false, sip: false, log: false }

const countListed = async (owner: string): Promise<unknown> =>
  ((await api.admin.get(`/${owner}/RecentCalls?page=1&count=25`)).body as { total: unknown }).total

const countAlerts = async (owner: string): Promise<unknown> =>
  ((await api.admin.get(`/${owner}/Alerts?page=1&count=25`)).body as { total: unknown }).total

const readQuality = async ({ service_provider_sid }: Tenant) => {
  const day = new Date(firstCallMs).toISOString().slice(0, 10)
  const path = `/patchbay/service-providers/${service_provider_sid}/call-quality?from=${day}&until=${day}`
  return (await api.admin.get(path)).body
}

const toPath = ({ account_sid }: Tenant) => `/patchbay/Accounts/${account_sid}/DataDeletions`

describe('deleting an account', () => {
  test('deletes its rows in all tables, and none of another account of its provider', async () => {
    const deleted = await createTenant()
    const other = await createTenant(deleted.service_provider_sid)
    const calls = [await storeCall(api, deleted), await storeCall(api, deleted, { at: firstCallMs + hourMs })]
    const otherCall = await storeCall(api, other)
    for (const tenant of [deleted, other]) await fillTables(api, tenant)
    const before = await countRows(api, other.account_sid)
    expect(Object.values(await countRows(api, deleted.account_sid))).not.toContain(0)

    expect((await api.admin.delete(`/Accounts/${deleted.account_sid}`)).status).toBe(204)
    await runDeletions(api)

    const after = await countRows(api, deleted.account_sid)
    expect(Object.entries(after).filter(([, count]) => count > 0)).toEqual([])
    expect(await countRows(api, other.account_sid)).toEqual(before)
    for (const call of calls) expect(await readDetails(api, call)).toEqual(nothing)
    expect(await readDetails(api, otherCall)).toEqual(everything)
  })

  test('subtracts its calls from the lists, the alerts, and the statistics of its provider', async () => {
    const remaining = await createTenant()
    const owner = `ServiceProviders/${remaining.service_provider_sid}`
    await storeCall(api, remaining)
    const quality = await readQuality(remaining)
    const deleted = await createTenant(remaining.service_provider_sid)
    for (let hours = 0; hours < 3; hours += 1) await storeCall(api, deleted, { at: firstCallMs + hours * hourMs })
    await expect.poll(() => countAlerts(owner)).toBe(4)
    expect(await countListed(owner)).toBe(4)
    await api.admin.delete(`/Accounts/${deleted.account_sid}`)
    await runDeletions(api)
    expect(await countListed(owner)).toBe(1)
    expect(await countAlerts(owner)).toBe(1)
    expect(await readQuality(remaining)).toEqual(quality)
  })

  test('keeps a trace and SIP that a call of another account has too', async () => {
    const [deleted, other] = [await createTenant(), await createTenant()]
    const shared = { trace_id: await storeTrace(api), sip_callid: randomUUID() }
    const call = await storeCall(api, deleted, shared)
    await storeCall(api, other, shared)
    await api.admin.delete(`/Accounts/${deleted.account_sid}`)
    await runDeletions(api)
    expect(await readDetails(api, call)).toEqual({ ...nothing, trace: true, sip: true })
  })

  test('deletes calls that arrive an hour, a day, or a week later, and then ends', async () => {
    const deleted = await createTenant()
    await api.admin.delete(`/Accounts/${deleted.account_sid}`)
    await runDeletions(api)
    let now = Date.now()
    for (const later of [hourMs, dayMs, 7 * dayMs]) {
      const call = await storeCall(api, deleted)
      await runDeletions(api)
      expect(await readDetails(api, call)).toEqual(everything)
      now += later + 1000
      const startedAt = now
      await runDeletions(api, { now: () => startedAt })
      expect(await readDetails(api, call)).toEqual(nothing)
    }
    const { due_at, runs } = await api.test.database.db
      .selectFrom('patchbay_data_deletions')
      .select(['due_at', 'runs'])
      .where('account_sid', '=', deleted.account_sid)
      .executeTakeFirstOrThrow()
    expect({ due_at, runs }).toEqual({ due_at: null, runs: 4 })
  })
})

test('deleting a service provider deletes what is stored for it', async () => {
  const { account_sid, service_provider_sid } = await createTenant()
  await storeCall(api, { account_sid, service_provider_sid })
  await fillTables(api, { account_sid: service_provider_sid, service_provider_sid })
  await api.admin.delete(`/Accounts/${account_sid}`)
  expect((await api.admin.delete(`/ServiceProviders/${service_provider_sid}`)).status).toBe(204)
  await runDeletions(api)
  const counts = await countRows(api, service_provider_sid)
  const owned = Object.entries(counts).filter(([table]) => /_(?:hours|outcomes|applications|days)$/.test(table))
  expect(owned.filter(([, count]) => count > 0)).toEqual([])
})

describe('a request to delete the data of an account', () => {
  test('deletes the days before a time, and reports what it has deleted', async () => {
    const tenant = await createTenant()
    const owner = `Accounts/${tenant.account_sid}`
    const [old, recent] = [await storeCall(api, tenant), await storeCall(api, tenant, { at: firstCallMs + dayMs })]
    const before = new Date(firstCallMs + dayMs).toISOString()
    const answer = await api.admin.post(toPath(tenant), { before })
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'waiting', before: '2023-11-15T00:00:00.000Z', deleted: {}, requested_by: 'admin' },
    })
    await runDeletions(api)
    expect(await readDetails(api, old)).toEqual(nothing)
    expect(await readDetails(api, recent)).toEqual(everything)
    expect([await countListed(owner), await countAlerts(owner)]).toEqual([1, 1])
    const [listed] = await listDeletions(api, tenant.account_sid)
    expect(listed).toMatchObject({
      data_deletion_sid: member(answer, 'data_deletion_sid'),
      status: 'finished',
      last_error: null,
      deleted: { calls: 1, traces: 2, logs: 1, captures: 1, alerts: 1 },
    })
  })

  test('keeps the data of today', async () => {
    const tenant = await createTenant()
    const calls = [await storeCall(api, tenant, { at: Date.now() }), await storeCall(api, tenant)]
    await api.admin.post(toPath(tenant), {})
    await runDeletions(api)
    expect(await Promise.all(calls.map((call) => readDetails(api, call)))).toEqual([everything, nothing])
    expect(await countListed(`Accounts/${tenant.account_sid}`)).toBe(1)
  })

  test('returns the deletion that runs, rejects one of other days, and leaves an audit entry', async () => {
    const tenant = await createTenant()
    const before = '2023-11-15T10:00:00Z'
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.admin.post(toPath(tenant), { before })))
    expect(new Set(answers.map((answer) => member(answer, 'data_deletion_sid'))).size).toBe(1)
    expect(await api.admin.post(toPath(tenant), { before: '2023-11-16T10:00:00Z' })).toMatchObject({
      status: 409,
      body: { code: 'data_deletion_running' },
    })
    const { body } = await api.admin.get(
      `/patchbay/audit-trail?page=1&count=25&sid=${member(answers[0] ?? (await api.admin.get('/')), 'data_deletion_sid')}`,
    )
    const { data } = body as { data: { kind: string; action: string }[] }
    expect(data.filter(({ kind }) => kind === 'call_data').map(({ action }) => action)).toEqual(['delete'])
  })

  test.each([
    ['2100-01-01T00:00:00Z', 'before must not be in the future'],
    ['1970-01-01T00:00:00Z', 'must be from 1971'],
    ['yesterday', 'must be an ISO 8601'],
  ])('rejects %s as its time', async (before, message) => {
    const answer = await api.admin.post(toPath(await createTenant()), { before })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)])
    expect(answer.body).toMatchObject({ field: 'before' })
  })
})

describe('the job', () => {
  test('continues where another process was killed, also if it could not save what it had done', async () => {
    const tenant = await createTenant()
    const other = await createTenant(tenant.service_provider_sid)
    const quality = await storeCall(api, other).then(() => readQuality(other))
    const calls = [await storeCall(api, tenant), await storeCall(api, tenant, { at: firstCallMs + hourMs })]
    await api.admin.post(toPath(tenant), {})
    const killed: string[] = []
    // Each process completes one part of a step that no other has completed, and ends before it saves this.
    for (let round = 1; round <= api.services.deletionSteps.length; round += 1) {
      const now = Date.now() + round * hourMs
      const steps = api.services.deletionSteps.map((step) => ({
        ...step,
        async run(...args: Parameters<typeof step.run>) {
          const result = await step.run(...args)
          if (killed.includes(step.name)) return result
          killed.push(step.name)
          throw new Error('killed')
        },
      }))
      await runDeletions(api, { steps, now: () => now, onError: () => {} })
    }
    const end = Date.now() + 100 * hourMs
    await runDeletions(api, { now: () => end })
    expect(killed).toEqual(api.services.deletionSteps.map(({ name }) => name))
    for (const call of calls) expect(await readDetails(api, call)).toEqual(nothing)
    expect(await listDeletions(api, tenant.account_sid)).toMatchObject([{ status: 'finished' }])
    expect(await countListed(`ServiceProviders/${tenant.service_provider_sid}`)).toBe(1)
    expect(await readQuality(other)).toEqual(quality)
  })

  test('does not work on a deletion that another process has claimed, unless it makes no progress', async () => {
    const tenant = await createTenant()
    await storeCall(api, tenant)
    await api.admin.post(toPath(tenant), {})
    let runs = 0
    const blocked = { name: 'blocked', run: () => new Promise<never>(() => (runs += 1)) }
    void runDeletions(api, { steps: [blocked] })
    await expect.poll(() => runs).toBe(1)
    await runDeletions(api)
    expect(await listDeletions(api, tenant.account_sid)).toMatchObject([{ status: 'running', deleted: {} }])
    const later = Date.now() + 121_000
    await runDeletions(api, { now: () => later })
    expect(await listDeletions(api, tenant.account_sid)).toMatchObject([{ status: 'finished', deleted: { calls: 1 } }])
  })

  test('reports a failure without its details, and repeats the step', async () => {
    const tenant = await createTenant()
    await storeCall(api, tenant)
    await api.admin.post(toPath(tenant), {})
    const errors: unknown[] = []
    const failing = { name: 'first', run: () => Promise.reject(new Error('secret of 10.0.0.1')) }
    const steps = [failing, ...api.services.deletionSteps]
    await runDeletions(api, { steps, onError: (error) => errors.push(error) })
    expect(errors).toHaveLength(1)
    expect(await listDeletions(api, tenant.account_sid)).toMatchObject([
      { status: 'running', last_error: 'A store of call data failed.' },
    ])
    const later = Date.now() + 6000
    await runDeletions(api, { now: () => later })
    expect(await listDeletions(api, tenant.account_sid)).toMatchObject([{ status: 'finished', last_error: null }])
  })
})

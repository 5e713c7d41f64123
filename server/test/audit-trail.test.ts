import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '@patchbay/contract/audit-trail'
import { maxAuditEntries } from '@patchbay/contract/shared/audit'
import { auditEntries, maxLatestEntries } from '@patchbay/server/database/audit-tables'
import { changesBetween } from '@patchbay/server/database/audit-trail'
import { adminPassword } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Audit entries of changes and denied requests. */

const api = await openTestApi()
const provider = await api.provider()
const other = await api.provider()
const account = await api.account(provider)
const ofProvider = await api.user({ service_provider_sid: provider })
const ofOther = await api.user({ service_provider_sid: other })

const buildPath = (query: Readonly<Record<string, string>>) =>
  `/patchbay/audit-trail?${new URLSearchParams({ page: '1', count: '50', ...query }).toString()}`

interface Page {
  total: number
  data: AuditEntry[]
}

const read = async (query: Readonly<Record<string, string>>, caller = api.admin): Promise<Page> => {
  await api.services.trail.flush()
  const answer = await caller.get(buildPath(query))
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  // The app itself validates responses against the contract.
  return answer.body as Page
}

const readNewest = async (sid: string): Promise<AuditEntry> => {
  const { data } = await read({ sid })
  const [newest] = data
  if (newest === undefined) throw new Error(`nothing of ${sid}`)
  return newest
}

describe('a change', () => {
  test('contains the actor, the resource, the address, and the old and new value of each field', async () => {
    const creation = await readNewest(account)
    expect(creation).toMatchObject({ action: 'create', kind: 'account', actor: 'user', actor_name: 'admin', times: 1 })
    const name = `renamed ${randomUUID()}`
    const before = getRow(await api.admin.get(`/Accounts/${account}`))
    const answer = await ofProvider.caller.put(`/Accounts/${account}`, { name, record_format: 'mp3' })
    expect(answer.status).toBe(204)
    expect(await readNewest(account)).toEqual({
      entry_sid: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      action: 'update',
      kind: 'account',
      sid: account,
      name,
      account_sid: account,
      service_provider_sid: provider,
      actor: 'user',
      actor_sid: ofProvider.sid,
      actor_name: ofProvider.name,
      actor_scope: 'service_provider',
      address: '127.0.0.1',
      request_id: answer.headers['x-request-id'],
      changes: [{ field: 'name', before: before['name'], after: name }],
      reason: null,
      times: 1,
    })
  })

  test('made with an API key contains the masked key', async () => {
    const key = await api.apiKey({ account_sid: account })
    await key.caller.put(`/Accounts/${account}`, { record_format: 'wav' })
    expect(await readNewest(account)).toMatchObject({
      actor: 'api_key',
      actor_sid: key.sid,
      actor_name: expect.stringMatching(/^[*-]+.{4}$/),
      actor_scope: 'account',
    })
    expect(await readNewest(key.sid)).toMatchObject({ kind: 'api_key', service_provider_sid: provider })
  })

  test('without an effect leaves no entry', async () => {
    const { total } = await read({ sid: account })
    const { name } = getRow(await api.admin.get(`/Accounts/${account}`))
    expect((await api.admin.put(`/Accounts/${account}`, { name })).status).toBe(204)
    expect((await read({ sid: account })).total).toBe(total)
  })

  test('that is rejected leaves no entry', async () => {
    const { total } = await read({ kind: 'account' })
    const taken = `realm-${randomUUID()}.example.com`
    await api.account(provider, { sip_realm: taken })
    expect((await api.admin.put(`/Accounts/${account}`, { sip_realm: taken })).status).toBe(422)
    expect((await read({ kind: 'account' })).total).toBe(total + 1)
  })

  test('to a webhook contains its URL, and only the fact that its secrets changed', async () => {
    const hook = { url: 'https://user:word@example.org/a', method: 'POST', username: 'u', password: 'first-secret' }
    await api.admin.put(`/Accounts/${account}`, { registration_hook: hook })
    await api.admin.put(`/Accounts/${account}`, { registration_hook: { ...hook, password: 'second-secret' } })
    const { changes } = await readNewest(account)
    expect(changes).toEqual([
      {
        field: 'registration_hook',
        before: { url: 'https://********@example.org/a', method: 'POST', username: 'u', password: '********' },
        after: { url: 'https://********@example.org/a', method: 'POST', username: 'u', password: '********' },
      },
    ])
  })

  test('to a password contains only the fact that it changed', async () => {
    const user = await api.user({ service_provider_sid: provider })
    await api.admin.put(`/Users/${user.sid}`, { initial_password: `Another-${randomUUID()}`, is_view_only: true })
    const { data } = await read({ sid: user.sid, kind: 'user' })
    expect(data[0]?.changes).toEqual([
      { field: 'password', before: '********', after: '********' },
      { field: 'is_view_only', before: false, after: true },
    ])
  })

  test('contains no secret', async () => {
    await api.admin.get(`/Accounts/${account}/WebhookSecret?regenerate=true`)
    const { webhook_secret } = getRow(await api.admin.get(`/Accounts/${account}`))
    await api.admin.put(`/Accounts/${account}`, {
      bucket_credential: {
        vendor: 'aws_s3',
        name: 'bucket',
        region: 'us-east-1',
        access_key_id: 'AKIA-of-tests',
        secret_access_key: 'the-bucket-secret',
      },
    })
    const user = await api.user({ service_provider_sid: provider })
    const { db, engine } = api.test.database
    const rows = await auditEntries(db, engine).selectAll().execute()
    const text = JSON.stringify(rows)
    for (const secret of [
      String(webhook_secret),
      'the-bucket-secret',
      'first-secret',
      'word@',
      user.password,
      '$argon2',
    ])
      expect(text).not.toContain(secret)
  })
})

describe('denied requests', () => {
  test('denied writes of a caller are recorded as one entry with a count', async () => {
    for (let time = 0; time < 3; time += 1)
      expect((await ofOther.caller.put(`/Accounts/${account}`, { name: 'mine now' })).status).toBe(403)
    const { data } = await read({ action: 'refused', actor_sid: ofOther.sid })
    expect(data).toMatchObject([
      {
        kind: 'request',
        name: 'PUT /Accounts/:account_sid',
        sid: account,
        service_provider_sid: other,
        reason: 'insufficient permissions',
        times: 3,
      },
    ])
  })

  test('denied reads and invalid bodies are not recorded', async () => {
    const { total } = await read({ action: 'refused' })
    await ofOther.caller.get(`/Accounts/${account}`)
    await ofProvider.caller.put(`/Accounts/${account}`, { name: '' })
    expect((await read({ action: 'refused' })).total).toBe(total)
  })

  test('sign-ins, sign-outs, and wrong passwords are recorded', async () => {
    const user = await api.user({ service_provider_sid: provider })
    await user.caller.post('/logout')
    await read({})
    await api.signIn(user.name, 'not the password', '192.0.2.7')
    const { data } = await read({ sid: user.sid, kind: 'session' })
    expect(data.map(({ action, actor, address, reason }) => [action, actor, address, reason])).toEqual([
      ['refused', 'nobody', '192.0.2.7', 'Login credentials are incorrect'],
      ['sign_out', 'user', '127.0.0.1', null],
      ['sign_in', 'user', '127.0.0.1', null],
    ])
    expect(data.every(({ service_provider_sid }) => service_provider_sid === provider)).toBe(true)
  })

  test('an unknown user name is not recorded, because it may be a password in the wrong field', async () => {
    await api.signIn('hunter2-hunter2', adminPassword, '192.0.2.8')
    const { data } = await read({ filter: '192.0.2.8' })
    expect(data).toMatchObject([{ action: 'refused', kind: 'session', sid: null, name: null }])
  })

  test('flush waits for writes that are already in progress', async () => {
    const user = await api.user({ service_provider_sid: provider })
    const first = api.services.trail.flush()
    await api.services.trail.flush()
    const { db, engine } = api.test.database
    const seen = await auditEntries(db, engine)
      .select('sid')
      .where('sid', '=', user.sid)
      .where('action', '=', 'sign_in')
      .execute()
    await first
    expect(seen).toHaveLength(1)
  })

  test('a flood of different denied requests does not fill the table', async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => ofOther.caller.put(`/Accounts/${randomUUID()}`, { name: `n ${at}` })),
    )
    expect(await api.signIn('flooded-out', adminPassword, '192.0.2.9')).toMatchObject({ status: 403 })
    const { data } = await read({ action: 'refused', kind: 'request', count: '500' })
    const flood = data.filter(({ sid }) => sid !== account)
    expect(flood.length).toBeLessThan(100)
    expect(flood.reduce((sum, { times }) => sum + times, 0)).toBe(200)
    // Entries from other addresses are still recorded.
    expect((await read({ filter: '192.0.2.9' })).data).toHaveLength(1)
  })
})

describe('access to the audit trail', () => {
  test('a provider reads entries about its resources, made by any actor, and none about others', async () => {
    const ownEntries = await read({ count: '500' }, ofProvider.caller)
    expect(ownEntries.total).toBeGreaterThan(0)
    expect(new Set(ownEntries.data.map(({ service_provider_sid }) => service_provider_sid))).toEqual(
      new Set([provider]),
    )
    for (const [member, sid] of [
      ['service_provider_sid', provider],
      ['account_sid', account],
      ['sid', account],
    ] as const)
      expect((await read({ [member]: sid, action: 'update' }, ofOther.caller)).data).toEqual([])
  })

  test('a provider cannot see or search for the address of an admin', async () => {
    const creation = await read({ sid: account, action: 'create' }, ofProvider.caller)
    expect(creation.data).toMatchObject([
      { actor_name: 'admin', actor_scope: 'admin', address: null, request_id: null },
    ])
    const newest = await readNewest(provider)
    expect(newest.address).toBe('127.0.0.1')
    expect((await read({ filter: String(newest.request_id) }, ofProvider.caller)).data).toEqual([])
    expect((await read({ filter: String(newest.request_id) })).data).toHaveLength(1)
  })

  test('an account user is denied', async () => {
    const user = await api.user({ service_provider_sid: provider, account_sid: account })
    expect(statusAndMessage(await user.caller.get(buildPath({})))).toEqual([403, 'insufficient permissions'])
  })
})

test('the trail is paged, newest first, and filtered by period, kind, action, and text', async () => {
  const first = await read({ count: '2' })
  const second = await read({ count: '2', page: '2' })
  const both = await read({ count: '4' })
  expect([...first.data, ...second.data]).toEqual(both.data)
  expect(both.data.map(({ at }) => at)).toEqual(
    both.data
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  )
  expect((await read({ start: '2999-01-01' })).total).toBe(0)
  expect((await read({ days: '1', kind: 'service_provider', action: 'create' })).total).toBe(2)
  const [named] = (await read({ kind: 'account', action: 'create' })).data
  expect((await read({ filter: String(named?.name).slice(3) })).data[0]?.sid).toBe(named?.sid)
  expect((await api.admin.get(buildPath({ action: 'nonsense' }))).status).toBe(400)
})

test('the history of a frequently changed record is complete on all pages, for every reader', async () => {
  const sid = await api.account(provider)
  const ratios = Array.from({ length: 2 * maxLatestEntries + 20 }, (_, nth) => (nth % 99) + 1)
  for (const device_to_call_ratio of ratios)
    expect((await ofProvider.caller.put(`/Accounts/${sid}`, { device_to_call_ratio })).status).toBe(204)
  for (const [caller, query] of [
    [api.admin, { sid }],
    [api.admin, { account_sid: sid }],
    [ofProvider.caller, { sid, kind: 'account' }],
  ] as const) {
    const pages = []
    for (let page = 1; page <= 5; page += 1) pages.push(await read({ ...query, page: `${page}` }, caller))
    const entries = pages.flatMap(({ data }) => data)
    expect(entries.map(({ changes }) => changes[0]?.after).slice(0, -1)).toEqual(ratios.toReversed())
    expect(entries.at(-1)?.action).toBe('create')
    expect(pages.map(({ total }) => total)).toEqual(pages.map(() => ratios.length + 1))
    expect(new Set(entries.map(({ entry_sid }) => entry_sid)).size).toBe(entries.length)
  }
})

test.each([
  [{ start: '-271821-04-20T00:00:00.000Z', end: '+275760-09-13T00:00:00.000Z' }, true],
  [{ start: '+275760-09-13T00:00:00.000Z' }, false],
  [{ end: '-271821-04-20T00:00:00.000Z' }, false],
])('a period that ends at the maximum date, %j, is accepted', async (period, some) => {
  expect((await read(period)).total > 0).toBe(some)
})

test('the count is limited to the entries that can be paged', async () => {
  const { db, engine } = api.test.database
  const [some] = await auditEntries(db, engine).selectAll().limit(1).execute()
  if (some === undefined) throw new Error('nothing is recorded')
  for (let insertedCount = 0; insertedCount < maxAuditEntries + 1; insertedCount += 250) {
    const rows = Array.from({ length: 250 }, (_, turn) => ({ ...some, moment: 1000 + insertedCount + turn }))
    await db.insertInto('patchbay_audit_trail').values(rows).execute()
  }
  expect((await read({ until: '2999-01-01' })).total).toBe(maxAuditEntries)
})

test.each([
  ['nothing differs', { a: 1 }, { a: 1 }, []],
  ['what is not said has not changed', { a: 1, b: 2 }, { a: 2 }, [{ field: 'a', before: 1, after: 2 }]],
  ['made', null, { a: 1, b: null }, [{ field: 'a', before: null, after: 1 }]],
  ['deleted', { a: 1 }, null, [{ field: 'a', before: 1, after: null }]],
  ['a secret', { token: 'x' }, { token: 'y' }, [{ field: 'token', before: '********', after: '********' }]],
  [
    'a secret that goes',
    { password: 'x' },
    { password: null },
    [{ field: 'password', before: '********', after: null }],
  ],
  [
    'encrypted',
    { bucket_credential: 'x' },
    { bucket_credential: 'y' },
    [{ field: 'bucket_credential', before: '********', after: '********' }],
  ],
])('the difference between two versions: %s', (_, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes)
})

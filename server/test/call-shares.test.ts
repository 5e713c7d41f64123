import { randomBytes, randomUUID } from 'node:crypto'
import type { CallShare, SharedCall } from '@patchbay/contract/call-shares'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { createApp } from '@patchbay/server/app/app'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { storeSpans } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { type Answer, type Caller, member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  callRecord,
  getRow,
  getRows,
  nanosecondsAt,
  otlpSpan,
  type Row,
  readPage,
  sorted,
  statusAndMessage,
  storeCall,
  storeRecordedCall,
  storeTrace,
} from './fixtures.ts'

/** Links to shared calls: who creates them, what they show, and when they end. */

const { api, world } = await openTestWorld()
const { A, A2, B, P, Q } = world.sid
const { db } = api.test.database
const admin = api.admin
const user = await signedIn(api, world.users['user of A'])
/** Keys do not expire when a test sets the clock forward. */
const adminKey = api.as(world.keys['admin key'].token)

afterEach(() => {
  vi.useRealTimers()
})

interface StoredCall {
  account_sid: string
  call_sid: string
}

const storeTracedCall = async (account_sid = A, service_provider_sid = P): Promise<StoredCall> => {
  const trace_id = await storeTrace(api, {
    name: 'verb:say{text=Hello}',
    attributes: [{ key: 'text', value: { stringValue: 'Hello, this is a test.' } }],
  })
  const call_sid = await storeCall(api, { account_sid, service_provider_sid, trace_id })
  return { account_sid, call_sid }
}

const storeSpannedTrace = async (trace_id: string, spans: readonly Row[]): Promise<void> => {
  const { traces } = toResponseSpans([{ scopeSpans: [{ spans }] }])
  await storeSpans(api.sinks.traces, trace_id, traces.get(trace_id) ?? [])
}

const getPath = ({ account_sid, call_sid }: StoredCall) => `/patchbay/Accounts/${account_sid}/Calls/${call_sid}/Shares`

const share = (caller: Caller, call: StoredCall, more: object = {}) =>
  caller.post(getPath(call), { expires_in_hours: 24, includes_recording: 0, ...more })

/** Creates a link. Returns its token and SID. */
const createLink = async (caller: Caller, call: StoredCall, more: object = {}) => {
  const created = await share(caller, call, more)
  expect(created.status).toBe(201)
  return { token: member(created, 'token'), sid: member(created, 'sid') }
}

const open = (token: string, path = '') => api.as(token).get(`/patchbay/shared-call${path}`)
const openStatus = async (token: string) => (await open(token)).status
const revoke = (caller: Caller, account_sid: string, sid: string) =>
  caller.delete(`/patchbay/Accounts/${account_sid}/CallShares/${sid}`)
const listLinks = async (call: StoredCall, caller = adminKey) =>
  getRows(await caller.get(getPath(call))) as unknown as CallShare[]
const problem = ({ status, body }: Answer) => [status, Reflect.get(Object(body), 'field')]

const expectInvalid = async (token: string) => {
  const answer = await open(token)
  const unknown = await open(randomBytes(32).toString('base64url'))
  expect([answer.status, answer.text]).toEqual([404, unknown.text])
}

describe('a link to a shared call', () => {
  test('shows the conversation without a session, and can be revoked', async () => {
    const call = await storeTracedCall()
    const { token, sid } = await createLink(user, call, { note: 'For the vendor' })
    const answer = await open(token)
    expect(answer.status).toBe(200)
    const shared = getRow(answer) as unknown as SharedCall
    expect(shared).toMatchObject({ account_name: `account ${A}`, from: '8299', to: '4809', includes_recording: 0 })
    expect(shared.conversation?.turns.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['agent', 'Hello, this is a test.'],
    ])
    expect(answer.headers['cache-control']).toContain('no-store')
    expect(await listLinks(call)).toMatchObject([
      {
        call_share_sid: sid,
        note: 'For the vendor',
        created_by: world.users['user of A'].name,
        views: 1,
        is_valid: true,
      },
    ])
    expect((await revoke(user, A, sid)).status).toBe(204)
    await expectInvalid(token)
    expect(await listLinks(call)).toEqual([])
    expect(statusAndMessage(await revoke(user, A, sid))).toEqual([404, 'Not Found'])
  })

  test('contains no SIDs, span IDs, addresses, numbers, or messages of errors', async () => {
    const trace_id = randomUUID().replaceAll('-', '')
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const root = otlpSpan(trace_id, { attributes: [text('callSid', randomUUID())] })
    const child = (name: string, more: object = {}) =>
      otlpSpan(trace_id, { name, parentSpanId: root['spanId'], ...more })
    const message = 'POST https://hooks.example.org/secret-path returned 503 for +15085551234'
    const spans = [
      root,
      child('verb:say{text=Hi}', {
        attributes: [text('text', 'See https://me:a-password@example.org/x for 4111 1111 1111 1111')],
      }),
      child('verb:hook', { status: { code: 2, message } }),
      child('verb:dial', { attributes: [text('verb.summary', 'dial{number=+442079460000}')] }),
      child('tool', {
        attributes: [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', 'find_customer')],
      }),
    ]
    await storeSpannedTrace(trace_id, spans)
    const account_sid = await api.account(P, { name: 'Example Airlines' })
    const call = { account_sid, call_sid: await storeCall(api, { account_sid, service_provider_sid: P, trace_id }) }
    const inside = await admin.get(`/patchbay/accounts/${account_sid}/calls/${call.call_sid}/conversation`)
    const { text: publicText } = await open((await createLink(admin, call)).token)
    const secrets = [String(root['spanId']), 'hooks.example.org', '+15085551234', '+442079460000']
    for (const secret of [...secrets, 'a-password'].slice(1)) expect(inside.text).toContain(secret)
    for (const secret of [...secrets, 'a-password', account_sid, P, call.call_sid, trace_id, '15083728299', '10.0.0.5'])
      expect(publicText).not.toContain(secret)
    expect(publicText).toContain('find_customer')
    // Masking rules apply, although this trace was stored without them.
    expect(publicText).toContain('for [card number]')
    for (const span of spans) expect(publicText).not.toContain(String(span['spanId']))
  })

  test('expires, and is then neither listed nor counted', async () => {
    const call = await storeTracedCall()
    const { token } = await createLink(user, call, { expires_in_hours: 1 })
    vi.useFakeTimers({ toFake: ['Date'] })
    const now = Date.now()
    vi.setSystemTime(now + 3_599_000)
    expect(await openStatus(token)).toBe(200)
    vi.setSystemTime(now + 3_601_000)
    await expectInvalid(token)
    expect(await listLinks(call)).toEqual([])
    await createLink(adminKey, call)
    const rows = await db
      .selectFrom('patchbay_call_shares')
      .select('call_sid')
      .where('call_sid', '=', call.call_sid)
      .execute()
    expect(rows).toHaveLength(1)
  })

  test('counts a view at most once per minute, also of concurrent requests', async () => {
    const call = await storeTracedCall()
    const { token } = await createLink(user, call)
    const views = async () => (await listLinks(call))[0]?.views
    await Promise.all(Array.from({ length: 10 }, () => open(token)))
    expect(await views()).toBe(1)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 61_000)
    await open(token)
    await open(token)
    expect(await views()).toBe(2)
  })

  test('is deleted with its account, and with the calls of its time', async () => {
    const account_sid = await api.account(P)
    await createLink(admin, await storeTracedCall(account_sid))
    const call = await storeTracedCall()
    await createLink(user, call)
    const count = async (column: 'account_sid' | 'call_sid', sid: string) =>
      (await db.selectFrom('patchbay_call_shares').select('call_sid').where(column, '=', sid).execute()).length
    expect(await count('account_sid', account_sid)).toBe(1)
    expect((await admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    expect(await count('account_sid', account_sid)).toBe(0)
    await db
      .updateTable('patchbay_call_shares')
      .set({ expires_at: 1000 })
      .where('call_sid', '=', call.call_sid)
      .execute()
    await removeBefore(api.test.database, 'calls', 1000)
    expect(await count('call_sid', call.call_sid)).toBe(1)
    await removeBefore(api.test.database, 'calls', 1001)
    expect(await count('call_sid', call.call_sid)).toBe(0)
  })

  test('writes no token to the log', async () => {
    const { token } = await createLink(user, await storeTracedCall())
    const lines: string[] = []
    const configuration = { ...api.services.configuration, accessLog: true, logLevel: 'debug' } as const
    const log = { write: (line: string) => void lines.push(line) }
    const app = await createApp({ configuration, database: api.test.database, log })
    const headers = { authorization: `Bearer ${token}` }
    expect((await app.inject({ url: '/v1/patchbay/shared-call', headers })).statusCode).toBe(200)
    await app.inject({ url: '/v1/patchbay/shared-call/recording', headers })
    await app.close()
    expect(lines.join('\n')).toContain('/v1/patchbay/shared-call')
    expect(lines.join('\n')).not.toContain(token)
  })

  test('stores no token, and writes none to the audit trail', async () => {
    const call = await storeTracedCall()
    const { token, sid } = await createLink(user, call)
    await open(token)
    await revoke(admin, A, sid)
    const { data } = await readPage(admin, '/patchbay/audit-trail', { kind: 'call_share', sid })
    expect(
      data.map(({ action, account_sid, service_provider_sid }) => [action, account_sid, service_provider_sid]),
    ).toEqual([
      ['delete', A, P],
      ['create', A, P],
    ])
    const { token: other } = await createLink(user, call)
    const rows = await db.selectFrom('patchbay_call_shares').selectAll().execute()
    const stored = JSON.stringify([data, rows])
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(other)
    expect(data[0]?.['changes']).toContainEqual({ field: 'views', before: 1, after: null })
  })
})

describe('a link ends', () => {
  const createOwner = async () => {
    const account_sid = await api.account(P)
    return { account_sid, call: await storeTracedCall(account_sid) }
  }

  const changes: readonly (readonly [string, (user_sid: string, account_sid: string) => Promise<unknown>])[] = [
    ['its creator is deleted', (user_sid) => admin.delete(`/Users/${user_sid}`)],
    ['its creator is deactivated', (user_sid) => admin.put(`/Users/${user_sid}`, { is_active: false })],
    ['its creator moves to another account', (user_sid) => admin.put(`/Users/${user_sid}`, { account_sid: A2 })],
    ['its creator becomes view-only', (user_sid) => admin.put(`/Users/${user_sid}`, { is_view_only: true })],
    ['its creator must change the password', (user_sid) => admin.put(`/Users/${user_sid}`, { force_change: true })],
    ['the account is deactivated', (_, account_sid) => admin.put(`/Accounts/${account_sid}`, { is_active: false })],
    ['the account is deleted', (_, account_sid) => admin.delete(`/Accounts/${account_sid}`)],
    [
      'the account is suspended',
      (_, account_sid) =>
        db
          .updateTable('accounts')
          .set({ is_active: 0, deactivated_reason: 'payment failed' })
          .where('account_sid', '=', account_sid)
          .execute(),
    ],
  ]

  test.each(changes)('when %s', async (_when, change) => {
    const { account_sid, call } = await createOwner()
    const { sid: user_sid, caller } = await api.user({ account_sid })
    const { token } = await createLink(caller, call)
    expect(await openStatus(token)).toBe(200)
    await change(user_sid, account_sid)
    await expectInvalid(token)
    for (const { is_valid } of await listLinks(call).catch(() => [])) expect(is_valid).toBe(false)
  })

  test('when the account is deactivated, also if the creator belongs to the provider', async () => {
    const { account_sid, call } = await createOwner()
    const { caller } = await api.user({ service_provider_sid: P })
    const { token } = await createLink(caller, call)
    await admin.put(`/Accounts/${account_sid}`, { is_active: false })
    await expectInvalid(token)
    expect((await listLinks(call)).map(({ is_valid }) => is_valid)).toEqual([false])
    await admin.put(`/Accounts/${account_sid}`, { is_active: true })
    expect(await openStatus(token)).toBe(200)
  })

  test('when its API key is deleted or expires', async () => {
    const { account_sid, call } = await createOwner()
    const { sid, caller } = await api.apiKey({ account_sid })
    const { token } = await createLink(caller, call)
    expect(await openStatus(token)).toBe(200)
    await admin.delete(`/ApiKeys/${sid}`)
    await expectInvalid(token)
    const expiring = await api.apiKey({ account_sid, expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    const link = await createLink(expiring.caller, call)
    expect(await openStatus(link.token)).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 3_700_000)
    await expectInvalid(link.token)
  })

  test('when the account of a call moves to another provider than that of its creator', async () => {
    const { account_sid, call } = await createOwner()
    const { caller } = await api.user({ service_provider_sid: P })
    const { token } = await createLink(caller, call)
    expect(await openStatus(token)).toBe(200)
    await db.updateTable('accounts').set({ service_provider_sid: Q }).where('account_sid', '=', account_sid).execute()
    await expectInvalid(token)
  })

  test('when the records of the call are deleted', async () => {
    const call = { account_sid: A, call_sid: randomUUID() }
    await api.sinks.calls.store([callRecord(A, { ...call, service_provider_sid: P, time: nanosecondsAt(Date.now()) })])
    const { token } = await createLink(user, call)
    expect(await openStatus(token)).toBe(200)
    const own = { account_sid: B, call_sid: call.call_sid }
    await db.updateTable('patchbay_call_shares').set(own).where('call_sid', '=', call.call_sid).execute()
    await expectInvalid(token)
  })
})

describe('creating a link', () => {
  test('requires a call of the account, for other tenants too', async () => {
    const foreign = await storeTracedCall(B, Q)
    expect(statusAndMessage(await share(user, { account_sid: A, call_sid: foreign.call_sid }))).toEqual([
      404,
      'Call not found',
    ])
    expect(statusAndMessage(await share(user, { account_sid: A, call_sid: randomUUID() }))).toEqual([
      404,
      'Call not found',
    ])
    expect((await share(user, foreign)).status).toBe(403)
    expect((await share(user, { account_sid: A, call_sid: 'no-sid' })).status).toBe(400)
  })

  test.each([
    ['expires_in_hours', { expires_in_hours: 0 }],
    ['expires_in_hours', { expires_in_hours: 721 }],
    ['expires_in_hours', { expires_in_hours: 1.5 }],
    ['expires_in_hours', { expires_in_hours: undefined }],
    ['includes_recording', { includes_recording: 'maybe' }],
    ['includes_recording', { includes_recording: 1 }],
    ['note', { note: 'x'.repeat(callShareLimits.note + 1) }],
    ['note', { note: ' \u200b ' }],
    ['token_hash', { token_hash: 'x' }],
  ])('names an invalid %s: %j', async (field, more) => {
    expect(problem(await share(user, await storeTracedCall(), more))).toEqual([400, field])
  })

  test('is denied to view-only users, who can list links', async () => {
    const call = await storeTracedCall()
    await createLink(user, call)
    const viewer = await signedIn(api, world.users['view-only user of A'])
    expect(statusAndMessage(await share(viewer, call))).toEqual([403, 'User has view-only access'])
    const [link] = await listLinks(call, viewer)
    expect(link?.call_sid).toBe(call.call_sid)
    expect(statusAndMessage(await revoke(viewer, A, link?.call_share_sid ?? ''))).toEqual([
      403,
      'User has view-only access',
    ])
  })

  test('is limited per call, also if many are created concurrently', async () => {
    const call = await storeTracedCall()
    const { perCall } = callShareLimits
    const answers = await Promise.all(Array.from({ length: perCall + 5 }, () => share(user, call)))
    expect(sorted([...new Set(answers.map(({ status }) => status))])).toEqual(['201', '400'])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(perCall)
    expect(await listLinks(call)).toHaveLength(perCall)
    const answer = await share(user, call)
    expect(statusAndMessage(answer)).toEqual([
      400,
      `This call has ${perCall} links, which is the maximum. Revoke one first`,
    ])
  })

  test('is limited per account', async () => {
    const account_sid = await api.account(P)
    const call = await storeTracedCall(account_sid)
    const { token } = await createLink(admin, call)
    const [row] = await db
      .selectFrom('patchbay_call_shares')
      .selectAll()
      .where('account_sid', '=', account_sid)
      .execute()
    if (row === undefined) throw new Error('the link is not stored')
    const more = Array.from({ length: callShareLimits.perAccount - 1 }, (_, position) => ({
      ...row,
      call_share_sid: randomUUID(),
      call_sid: randomUUID(),
      token_hash: randomBytes(32).toString('hex'),
      created_at: row.created_at + position,
    }))
    for (let at = 0; at < more.length; at += 50)
      await db
        .insertInto('patchbay_call_shares')
        .values(more.slice(at, at + 50))
        .execute()
    expect(statusAndMessage(await share(admin, call))[0]).toBe(400)
    expect(await openStatus(token)).toBe(200)
    const path = `/patchbay/Accounts/${account_sid}/CallShares`
    const page = getRow(await admin.get(`${path}?page=19&page_size=50`))
    expect([page['total'], page['page'], (page['data'] as unknown[]).length]).toEqual([1000, 19, 50])
    const first = getRow(await admin.get(path))['data'] as CallShare[]
    expect(first.map(({ created_at }) => created_at)).toEqual(
      first
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    )
  })
})

describe('a token', () => {
  test('opens its own call only, and the response for all others is the same', async () => {
    const call = await storeTracedCall()
    const { token } = await createLink(user, call)
    const other = randomBytes(32).toString('base64url')
    const wrong = [
      '',
      'a',
      token.slice(1),
      `${token}x`,
      token.toUpperCase(),
      token.toLowerCase(),
      other,
      user.token,
      '%00',
      `${token.slice(0, 42)}=`,
    ]
    const answers = await Promise.all(wrong.map((text) => open(text)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`404 ${(await open(other)).text}`]),
    )
    expect(await openStatus(token)).toBe(200)
    // A link is no session.
    for (const path of ['/Users/me', `/Accounts/${A}`, getPath(call)])
      expect((await api.as(token).get(path)).status).toBe(401)
    const inQuery = await api.nobody.get(`/patchbay/shared-call?access_token=${token}`)
    expect(inQuery.status).toBe(404)
  })

  test('that is unknown gets 429 after 300 attempts of a network, and valid ones stay valid there', async () => {
    const { token } = await createLink(user, await storeTracedCall())
    const from = (remoteAddress: string, value: string) =>
      api.app.inject({
        url: '/v1/patchbay/shared-call',
        headers: { authorization: `Bearer ${value}` },
        remoteAddress,
      })
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const { statusCode } = await from('203.0.113.7', randomBytes(32).toString('base64url'))
      expect(statusCode).toBe(404)
    }
    expect((await from('203.0.113.7', randomBytes(32).toString('base64url'))).statusCode).toBe(429)
    expect((await from('203.0.113.7', token)).statusCode).toBe(200)
    expect((await from('203.0.113.8', token)).statusCode).toBe(200)
  })

  test('that 300 viewers open at once gives each the call or 429, and does not block users of the account', async () => {
    const call = await storeTracedCall()
    const { token } = await createLink(user, call)
    const views = Array.from({ length: 300 }, () => open(token))
    const own = await user.get(`/patchbay/accounts/${A}/calls/${call.call_sid}/conversation`)
    expect(own.status).toBe(200)
    const statuses = new Set((await Promise.all(views)).map(({ status }) => status))
    expect(statuses.has(200)).toBe(true)
    statuses.delete(429)
    expect([...statuses]).toEqual([200])
  })
})

describe('the recording of a shared call', () => {
  const storeRecorded = async (account_sid = A): Promise<StoredCall> => {
    const call = { account_sid, call_sid: randomUUID() }
    await storeRecordedCall(api, { account_sid, service_provider_sid: P }, call.call_sid)
    return call
  }
  const play = (token: string, headers: Record<string, string> = {}) =>
    api.app.inject({
      url: '/v1/patchbay/shared-call/recording',
      headers: { authorization: `Bearer ${token}`, ...headers },
    })

  test('is played with ranges if the link includes it', async () => {
    const { token } = await createLink(user, await storeRecorded(), { includes_recording: 1 })
    const all = await play(token)
    expect([all.statusCode, all.payload, all.headers['content-type'], all.headers['accept-ranges']]).toEqual([
      200,
      'a recording',
      'audio/mp3',
      'bytes',
    ])
    const part = await play(token, { range: 'bytes=2-4' })
    expect([part.statusCode, part.payload, part.headers['content-range']]).toEqual([206, 'rec', 'bytes 2-4/11'])
    expect((await play(token, { range: 'bytes=11-' })).statusCode).toBe(416)
    const suffix = await play(token, { range: 'bytes=-3' })
    expect(suffix.payload).toBe('ing')
  })

  test('is hidden if the link does not include it, or is revoked, or the recording is deleted', async () => {
    const call = await storeRecorded()
    const without = await createLink(user, call)
    expect((await play(without.token)).statusCode).toBe(404)
    const { token, sid } = await createLink(user, call, { includes_recording: true })
    await revoke(user, A, sid)
    expect((await play(token)).statusCode).toBe(404)
    const third = await createLink(user, call, { includes_recording: 1 })
    expect((await play(third.token)).statusCode).toBe(200)
    await user.delete(`/Accounts/${A}/RecentCalls/${call.call_sid}/record/2026/05/01/mp3`)
    expect((await play(third.token)).statusCode).toBe(404)
  })

  test('is downloaded 60 times a minute', async () => {
    const { token } = await createLink(user, await storeRecorded(), { includes_recording: 1 })
    const other = await createLink(user, await storeRecorded(), { includes_recording: 1 })
    const { configuration } = api.services
    const rateLimit = { max: 1000, maxOfAddress: 1000, windowSeconds: 60 }
    const app = await createApp({ configuration: { ...configuration, rateLimit }, database: api.test.database })
    const download = async (value: string) => {
      const url = '/v1/patchbay/shared-call/recording'
      return (await app.inject({ url, headers: { authorization: `Bearer ${value}` } })).statusCode
    }
    for (let number = 1; number <= 60; number += 1) expect(await download(token)).toBe(200)
    expect([await download(token), await download(other.token)]).toEqual([429, 200])
    await app.close()
  })

  test('is never that of another account or call', async () => {
    const foreign = await storeRecorded(A2)
    const recording_url = `/Accounts/${A2}/RecentCalls/${foreign.call_sid}/record/2026/05/01/mp3`
    const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P, recording_url })
    expect(problem(await share(user, { account_sid: A, call_sid }, { includes_recording: 1 }))).toEqual([
      400,
      'includes_recording',
    ])
    const { token } = await createLink(user, await storeRecorded(), { includes_recording: 1 })
    await db.updateTable('patchbay_call_shares').set({ call_sid }).where('account_sid', '=', A).execute()
    expect((await play(token)).statusCode).toBe(404)
  })
})

test('a link of another account cannot be revoked', async () => {
  const { token, sid } = await createLink(user, await storeTracedCall())
  const other = await signedIn(api, world.users['user of A2'])
  expect(statusAndMessage(await revoke(other, A2, sid))).toEqual([404, 'Not Found'])
  expect((await revoke(other, A, sid)).status).toBe(403)
  expect(statusAndMessage(await revoke(admin, B, sid))).toEqual([404, 'Not Found'])
  expect(await openStatus(token)).toBe(200)
})

test('a conversation with 6,000 spans is shown', async () => {
  const trace_id = randomUUID().replaceAll('-', '')
  const spans = Array.from({ length: 6000 }, (_, position) =>
    otlpSpan(trace_id, {
      name: 'verb:say{text=Hi}',
      startTimeUnixNano: `${1_700_000_000_000 + position * 2000}000000`,
      endTimeUnixNano: `${1_700_000_001_000 + position * 2000}000000`,
      attributes: [{ key: 'text', value: { stringValue: `Turn ${position} ${'x'.repeat(500)}` } }],
    }),
  )
  await storeSpannedTrace(trace_id, spans)
  const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P, trace_id })
  const { token } = await createLink(user, { account_sid: A, call_sid })
  const shared = getRow(await open(token)) as unknown as SharedCall
  expect(shared.conversation?.is_cut).toBe(true)
  expect(shared.conversation?.turns.length).toBeGreaterThan(500)
})

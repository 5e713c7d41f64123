import { createHmac, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { agentEventLimits } from '@patchbay/contract/conversation-events'
import { storeLimits } from '@patchbay/server/call-data/agent-events/sql-agent-events'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The intake of agent events: signatures, repetition, limits, and hostile bodies. */

let api: TestApi
let service_provider_sid: string
let account_sid: string
let secret: string

const readSecret = async (sid: string) =>
  member(await api.admin.get(`/Accounts/${sid}/WebhookSecret`), 'webhook_secret')

beforeAll(async () => {
  api = await createTestApi()
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
  secret = await readSecret(account_sid)
})
afterAll(() => api.close())

const now = () => Math.floor(Date.now() / 1000)
const hmac = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex')
const sign = (payload: string, key = secret, seconds: number | string = now()) =>
  `t=${seconds},v1=${hmac(`${seconds}.${payload}`, key)}`

interface SendOptions {
  account?: string
  signature?: string
  headers?: Readonly<Record<string, string>>
  to?: TestApi
}

/** Sends a body unchanged, with a valid signature unless the options have another one. */
const sendText = async (
  payload: string | Buffer,
  { account = account_sid, headers = {}, to = api, ...more }: SendOptions = {},
) => {
  const { signature = sign(String(payload)) } = more
  const {
    statusCode,
    body,
    headers: received,
  } = await to.app.inject({
    method: 'POST',
    url: `/v1/patchbay/Accounts/${account}/ConversationEvents`,
    headers: { 'content-type': 'application/json', 'jambonz-signature': signature, ...headers },
    payload,
  })
  const { msg, field, ...receipt }: { msg?: string; field?: string } = JSON.parse(body)
  return { status: statusCode, msg, field, receipt, headers: received }
}

const send = (events: unknown, options: SendOptions = {}) => sendText(JSON.stringify(events), options)

const makeEvent = (call_sid: string, seq: number, more: object = {}) => ({
  call_sid,
  at: Date.parse('2026-11-02T10:00:00Z') + seq,
  seq,
  event: { type: 'user_transcript', transcript: `Sentence ${seq}` },
  ...more,
})

const read = (call_sid: string, account = account_sid) => api.services.agentEvents.read(account, call_sid)
const receipt = (stored: number, repeated = 0, dropped = 0) => ({ stored, repeated, dropped, skipped: 0 })

const invalidSignature = "The signature is not that of this body with the account's webhook secret."

describe('signed events', () => {
  test('are stored, one or a list, with ISO and epoch times, and with members and types that are unknown', async () => {
    const call = randomUUID()
    const one = makeEvent(call, 7, { at: '2026-11-02T11:00:00.250+01:00', more: 'ignored' })
    expect(await send(one)).toMatchObject({ status: 200, receipt: receipt(1) })
    const event = { type: 'of_2030', nested: [{ text: 'Grüße 😀 \ud800 \u0000' }], __typename: 1 }
    const list = [makeEvent(call, 2, { event }), makeEvent(call, 1)]
    expect(await send(list)).toMatchObject({ status: 200, receipt: receipt(2) })
    const stored = await read(call)
    expect(stored.map(({ seq }) => seq)).toEqual([1, 2, 7])
    expect(stored[1]?.event).toEqual(event)
    expect(stored[2]).toEqual({ seq: 7, at: Date.parse('2026-11-02T10:00:00.250Z'), event: one.event })
    expect(await send([])).toMatchObject({ status: 200, receipt: receipt(0) })
  })

  test('are stored once, however often and in whatever order they arrive', async () => {
    const call = randomUUID()
    const all = Array.from({ length: 20 }, (_, seq) => makeEvent(call, seq))
    const payload = JSON.stringify(all)
    const signature = sign(payload)
    expect((await sendText(payload, { signature })).receipt).toEqual(receipt(20))
    expect((await sendText(payload, { signature })).receipt).toEqual(receipt(0, 20))
    expect((await send(all.toReversed())).receipt).toEqual(receipt(0, 20))
    const changed = [makeEvent(call, 3, { event: { type: 'other' } }), makeEvent(call, 20), makeEvent(call, 20)]
    expect((await send(changed)).receipt).toEqual(receipt(1, 2))
    const stored = await read(call)
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, seq) => seq))
    expect(stored[3]?.event['type']).toBe('user_transcript')
  })

  test('are stored once each by 300 parallel requests, if clients repeat those over the limit', async () => {
    const call = randomUUID()
    let waiting = Array.from({ length: 300 }, (_, seq) => makeEvent(call, seq))
    while (waiting.length > 0) {
      const answers = await Promise.all(waiting.map((event) => send(event)))
      const outcomes = new Set(answers.map(({ status, headers }) => `${status} ${headers['retry-after'] ?? ''}`))
      // Without progress, the loop would not end.
      expect(outcomes).toContain('200 ')
      expect([...outcomes].filter((outcome) => !['200 ', '429 1'].includes(outcome))).toEqual([])
      waiting = waiting.filter((_event, at) => answers[at]?.status !== 200)
    }
    expect(await read(call)).toHaveLength(300)
  })

  test('belong to the account in the path only, also if another account has the same call', async () => {
    const other = await api.account(service_provider_sid)
    const call = randomUUID()
    const event = makeEvent(call, 1)
    expect((await send(event)).receipt).toEqual(receipt(1))
    const signature = sign(JSON.stringify(event), await readSecret(other))
    expect((await send(event, { account: other, signature })).receipt).toEqual(receipt(1))
    expect([await read(call), await read(call, other)].map(({ length }) => length)).toEqual([1, 1])
    expect(await send(event, { account: other })).toMatchObject({ status: 401, msg: invalidSignature })
  })

  test('need no session, and a session does not replace the signature', async () => {
    const { caller } = await api.user({ account_sid })
    const authorization = { authorization: `Bearer ${caller.token}` }
    const event = makeEvent(randomUUID(), 1)
    expect(await send(event, { signature: '', headers: authorization })).toMatchObject({ status: 401 })
    expect(await send(event, { headers: { authorization: 'Bearer none' } })).toMatchObject({ status: 200 })
  })
})

describe('a signature', () => {
  const body = () => JSON.stringify(makeEvent(randomUUID(), 1))

  test.each<[string, (payload: string) => string]>([
    ['is absent', () => ''],
    ['has no time', (payload) => sign(payload).replace(/^t=\d+,/, '')],
    ['has no value', () => `t=${now()}`],
    ['has a short value', () => `t=${now()},v1=abc`],
    ['has a time that is no number', (payload) => sign(payload, secret, 'now')],
    ['has a negative time', (payload) => sign(payload, secret, -5)],
    ['is another text', () => 'x'.repeat(4000)],
    ['has the value of another scheme', (payload) => sign(payload).replace('v1', 'v0')],
  ])('that %s gets 401 with the expected format', async (_what, makeSignature) => {
    const payload = body()
    const { status, msg, headers } = await sendText(payload, { signature: makeSignature(payload) })
    expect([status, msg]).toEqual([401, expect.stringContaining('missing or malformed')])
    expect(headers['www-authenticate']).toBe('jambonz-signature')
  })

  test.each([
    ['6 minutes old', -360],
    ['6 minutes in the future', 360],
  ])('that is %s gets 401', async (_what, seconds) => {
    const payload = body()
    const answer = await sendText(payload, { signature: sign(payload, secret, now() + seconds) })
    expect(answer).toMatchObject({ status: 401, msg: expect.stringContaining('more than 5 minutes') })
  })

  test('is rejected with 401 if it is that of another body, time, or secret', async () => {
    const payload = body()
    for (const signature of [
      sign(body()),
      sign(payload, 'another secret'),
      sign(payload, ''),
      sign(payload).replace(/t=\d+/, `t=${now() - 10}`),
      `t=${now()},v1=${hmac(payload, secret)}`,
    ])
      expect(await sendText(payload, { signature })).toMatchObject({ status: 401, msg: invalidSignature })
  })

  test('can be one of several, and 4 minutes old', async () => {
    const payload = body()
    const wrong = `v1=${'0'.repeat(64)}`
    const signature = sign(payload, secret, now() - 240)
    expect(await sendText(payload, { signature: `${signature},${wrong}` })).toMatchObject({ status: 200 })
    const [time, value] = signature.split(',')
    expect(await sendText(payload, { signature: `${time}, ${wrong}, ${value}` })).toMatchObject({ status: 200 })
  })

  test('is equally wrong for unknown and inactive accounts, for other sids, and without a secret', async () => {
    const { db } = api.test.database
    const payload = body()
    const wrong = await sendText(payload, { signature: sign(payload, 'wrong') })
    const inactive = await api.account(service_provider_sid)
    await db.updateTable('accounts').set({ is_active: 0 }).where('account_sid', '=', inactive).execute()
    const secretless = await api.account(service_provider_sid)
    await db.updateTable('accounts').set({ webhook_secret: '' }).where('account_sid', '=', secretless).execute()
    const candidates = [
      [inactive, (await readStoredSecret(inactive)) ?? ''],
      [secretless, ''],
      [randomUUID(), secret],
      ['x', secret],
      [encodeURIComponent("' OR 1=1"), secret],
      [service_provider_sid, secret],
    ] as const
    for (const [account, key] of candidates) {
      const { headers: _headers, ...answer } = await sendText(payload, { account, signature: sign(payload, key) })
      expect(answer).toEqual({ ...wrong, headers: undefined })
    }
  })

  const readStoredSecret = async (sid: string) => {
    const row = await api.test.database.db
      .selectFrom('accounts')
      .select('webhook_secret')
      .where('account_sid', '=', sid)
      .executeTakeFirst()
    return row?.webhook_secret
  }

  test('is rejected with 401 after the secret has been replaced', async () => {
    const account = await api.account(service_provider_sid)
    const old = await readSecret(account)
    const payload = body()
    expect((await sendText(payload, { account, signature: sign(payload, old) })).status).toBe(200)
    await api.admin.get(`/Accounts/${account}/WebhookSecret?regenerate=true`)
    expect((await sendText(payload, { account, signature: sign(payload, old) })).status).toBe(401)
    const fresh = await readSecret(account)
    expect((await sendText(payload, { account, signature: sign(payload, fresh) })).status).toBe(200)
  })
})

describe('an invalid body', () => {
  const call_sid = randomUUID()
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

  test.each<[string, object, string | undefined, RegExp]>([
    ['an event without a call', [makeEvent(call_sid, 1), { at: 0, seq: 1, event: {} }], '1.call_sid', /call_sid/],
    ['a call that is no sid', makeEvent('abc', 1), 'call_sid', /must be a sid/],
    ['a time without a zone', makeEvent(call_sid, 1, { at: '2026-11-02T10:00:00' }), 'at', /time zone/],
    ['a time with a fraction', makeEvent(call_sid, 1, { at: 1.5 }), 'at', /whole milliseconds/],
    ['a time in seconds', makeEvent(call_sid, 1, { at: 1_790_000_000 }), 'at', /2000 to 2099/],
    ['a time after the end of time', makeEvent(call_sid, 1, { at: 9e15 }), 'at', /2000 to 2099/],
    ['a negative number', [makeEvent(call_sid, -1)], '0.seq', /whole number from 0/],
    ['a number as text', makeEvent(call_sid, 1, { seq: '1' }), 'seq', /whole number from 0/],
    [
      'a number that is not exact',
      makeEvent(call_sid, 2 ** 53, { at: 1_790_000_000_000 }),
      'seq',
      /whole number from 0/,
    ],
    ['an event that is a text', makeEvent(call_sid, 1, { event: 'x' }), 'event', /must be an object/],
    ['an event that is a list', makeEvent(call_sid, 1, { event: [] }), 'event', /must be an object/],
    ['an event that is too deep', makeEvent(call_sid, 1, { event: deep(33) }), 'event', /at most 32 levels/],
    ['an event that is too long', makeEvent(call_sid, 1, { event: { a: 'x'.repeat(65_530) } }), 'event', /65536/],
    ['a list in a list', [[makeEvent(call_sid, 1)]], '0', /./],
    ['too many events', Array.from({ length: 501 }, (_, seq) => makeEvent(call_sid, seq)), undefined, /at most 500/],
  ])(
    'with %s gets 400 with the member and its position, and nothing is stored',
    async (_what, body, field, message) => {
      const answer = await send(body)
      expect([answer.status, answer.field]).toEqual([400, field])
      expect(answer.msg).toMatch(message)
      expect(await read(call_sid)).toEqual([])
    },
  )

  test.each<[string, string]>([
    ['no body', ''],
    ['no JSON', '{"call_sid"'],
    ['a text', '"x"'],
    ['a number', '1e999'],
    ['null', 'null'],
    ['deep lists', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['deep objects', `${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`],
    ['an event that is 80,000 levels deep', `{"event":${'{"a":'.repeat(80_000)}1${'}'.repeat(80_001)}`],
    ['a prototype', '{"__proto__": {"call_sid": "x"}, "constructor": 1}'],
    ['many empty events', `[${'{},'.repeat(100_000)}{}]`],
  ])('that is %s gets 400', async (_what, body) => {
    const { status, msg } = await sendText(body)
    expect([status, typeof msg]).toEqual([400, 'string'])
  })

  test('keeps members with names of prototypes as they are', async () => {
    const call = randomUUID()
    const event = '{"type":"x","__proto__":{"admin":1},"constructor":{"prototype":1},"toString":2}'
    const payload = `{"call_sid":"${call}","at":1790000000000,"seq":1,"event":${event}}`
    expect((await sendText(payload)).status).toBe(200)
    const [stored] = await read(call)
    expect(JSON.stringify(stored?.event)).toBe(event)
    expect(Object.hasOwn({}, 'admin')).toBe(false)
  })

  test('with an odd value in each member never causes a 5xx', async () => {
    const odd: readonly unknown[] = [
      null,
      true,
      -0,
      1e300,
      '',
      '\u0000',
      '😀'.repeat(100),
      [],
      {},
      [[[]]],
      { toString: 'x', length: 3 },
    ]
    for (const name of ['call_sid', 'at', 'seq', 'event', 'other'])
      for (const value of odd) {
        const { status } = await send([makeEvent(randomUUID(), 1, { [name]: value })])
        expect([200, 400]).toContain(status)
      }
  })

  test('gets 413 if it has more than 512 KiB, and 415 if it is compressed', async () => {
    const huge = JSON.stringify([makeEvent(call_sid, 1, { event: { a: 'x'.repeat(agentEventLimits.bodyBytes) } })])
    expect(await sendText(huge)).toMatchObject({ status: 413, msg: expect.any(String) })
    const bomb = gzipSync(' '.repeat(50_000_000))
    const headers = { 'content-encoding': 'gzip' }
    expect(await sendText(bomb, { headers, signature: sign(' ') })).toMatchObject({ status: 415 })
  })
})

describe('limits', () => {
  test('a call stores 5,000 events, and further ones are dropped', async () => {
    const [full, other] = [randomUUID(), randomUUID()]
    for (let from = 0; from < storeLimits.events; from += 500) {
      const batch = Array.from({ length: 500 }, (_, at) => makeEvent(full, from + at))
      expect((await send(batch)).receipt).toEqual(receipt(500))
    }
    const more = [makeEvent(full, 90_000), makeEvent(other, 1)]
    expect((await send(more)).receipt).toEqual(receipt(1, 0, 1))
    expect(await read(full)).toHaveLength(storeLimits.events)
    // A repeated event of a full call is no dropped one, so that its client need not send it again.
    expect((await send([makeEvent(full, 7), makeEvent(full, 90_000)])).receipt).toEqual(receipt(0, 1, 1))
  })

  test('a call stores 4 MiB of events', async () => {
    const call = randomUUID()
    let stored = 0
    const event = { text: 'x'.repeat(60_000) }
    for (let from = 0; from < 80; from += 8) {
      const batch = Array.from({ length: 8 }, (_, at) => makeEvent(call, from + at, { event }))
      const { receipt: received } = await send(batch)
      stored += (received as { stored: number }).stored
    }
    expect(stored).toBe(Math.floor(storeLimits.characters / JSON.stringify(event).length))
  })

  test('a body that does not fit into the memory gets 503 with Retry-After, and the memory is free afterwards', async () => {
    const call = randomUUID()
    const payload = JSON.stringify(
      Array.from({ length: 7 }, (_, seq) => makeEvent(call, seq, { event: { text: 'x'.repeat(64_000) } })),
    )
    const signature = sign(payload)
    const answers = await Promise.all(Array.from({ length: 120 }, () => sendText(payload, { signature })))
    const outcomes = new Set(answers.map(({ status, headers }) => `${status} ${headers['retry-after'] ?? ''}`))
    expect([...outcomes]).toEqual(expect.arrayContaining(['200 ', '503 1']))
    expect((await sendText(payload, { signature })).receipt).toEqual(receipt(0, 7))
    expect(await read(call)).toHaveLength(7)
  })

  test('an account has a number of requests per window, and of events per day', async () => {
    const limited = await createTestApi({
      DISABLE_RATE_LIMITS: '0',
      RATE_LIMIT_MAX_PER_WINDOW: '3',
      RATE_LIMIT_MAX_PER_ADDRESS: '1000',
      ACCOUNT_CALL_DATA_ROWS_PER_DAY: '4',
    })
    try {
      const account = await limited.account(await limited.provider())
      const { webhook_secret: key } = await limited.test.database.db
        .selectFrom('accounts')
        .select('webhook_secret')
        .where('account_sid', '=', account)
        .executeTakeFirstOrThrow()
      const post = (events: unknown) =>
        send(events, { account, to: limited, signature: sign(JSON.stringify(events), key) })
      const call = randomUUID()
      const [first, second] = [[makeEvent(call, 1), makeEvent(call, 2), makeEvent(call, 3)], [makeEvent(call, 4)]]
      expect((await post(first)).receipt).toEqual(receipt(3))
      // Repeated events do not count.
      expect((await post([...first, ...second, makeEvent(call, 5)])).receipt).toEqual(receipt(1, 3, 1))
      // A wrong signature does not use up the requests of the account.
      for (let attempt = 0; attempt < 5; attempt += 1)
        expect((await send([], { account, to: limited, signature: sign('[]', 'wrong') })).status).toBe(401)
      expect((await post([])).status).toBe(200)
      const { status, headers } = await post([])
      expect([status, headers['retry-after']]).toEqual([429, '60'])
    } finally {
      await limited.close()
    }
  })

  test('events are deleted with other call data', async () => {
    const call = randomUUID()
    expect((await send(makeEvent(call, 1))).receipt).toEqual(receipt(1))
    await removeBefore(api.test.database, 'calls', Date.now() - 60_000)
    expect(await read(call)).toHaveLength(1)
    await removeBefore(api.test.database, 'calls', Date.now() + 1000)
    expect(await read(call)).toEqual([])
  })
})

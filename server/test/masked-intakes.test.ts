import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { startIngestServers } from '@patchbay/server/app/ingest'
import { enqueueConversations } from '@patchbay/server/call-data/conversations/conversation-queue'
import { storeSpans } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import type { Tables } from '@patchbay/server/database/tables'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { startFakeJaeger } from '@patchbay/testkit/fakes/jaeger'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { freePort } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRecord, getRow, getRows, otlpSpan, storeCall } from './fixtures.ts'

/** Masking of what the intakes receive, before it is stored, and of what is read from other stores. */

let api: TestApi
let otlp: string
let stopIntakes: () => Promise<void>
const logged: string[] = []

beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ INTAKE_OTLP: String(port), INTAKE_INFLUX: '0', INTAKE_HEP: '0' })
  otlp = `http://127.0.0.1:${port}`
  const log = Fastify({ logger: { level: 'trace', stream: { write: (line) => void logged.push(line) } } }).log
  stopIntakes = await startIngestServers(api.services, log, 1000)
  // With several providers, data without an account gets the rules that apply to all.
  await api.provider()
})
afterAll(async () => {
  await stopIntakes()
  await api.close()
})

/** The start of the calls, in milliseconds since the Unix epoch. */
const callStart = 1_700_000_000_000

const cardNumbers = ['4111111111111111', '4111 1111 1111 1111', 'four one one one']
const secrets = [...cardNumbers, 'AB-778899']
const spoken = 'four one one one, one one one one, one one one one, one one one one'
const sentence = `My card is 4111 1111 1111 1111, or ${spoken}, for order AB-778899.`
const masked = 'My card is [card number], or [card number], for order [order].'
const patterns = [{ name: 'Orders', expression: '\\bAB-\\d{6}\\b', replacement: 'order' }]

const createCaller = async (rules: Partial<MaskingRules> = { patterns }) => {
  const service_provider_sid = await api.provider()
  const path = `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`
  expect((await api.admin.put(path, rules)).status).toBe(204)
  const account_sid = await api.account(service_provider_sid)
  const call_sid = randomUUID()
  const trace_id = randomBytes(16).toString('hex')
  return { service_provider_sid, account_sid, call_sid, trace_id, path }
}
const storeCalled = ({ path: _path, call_sid, ...call }: TestCaller) => storeCall(api, call, call_sid)
type TestCaller = Awaited<ReturnType<typeof createCaller>>

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** Spans of a call with a card number in every text that is stored. */
const createSpans = ({ trace_id, account_sid, call_sid }: TestCaller, hasAccount = true) => [
  otlpSpan(trace_id, {
    name: 'incoming-call',
    attributes: [...(hasAccount ? [text('accountSid', account_sid)] : []), text('callSid', call_sid)],
  }),
  otlpSpan(trace_id, {
    name: `verb:say{text=${sentence}}`,
    attributes: [text('verb.summary', `say{text=${sentence}}`), text('text', sentence)],
    status: { code: 2, message: sentence },
    events: [{ timeUnixNano: '1', name: sentence, attributes: [text('message', sentence)] }],
  }),
  otlpSpan(trace_id, {
    name: 'stt-listen:1',
    attributes: [
      text('stt.result', JSON.stringify({ alternatives: [{ transcript: sentence, confidence: 0.9 }] })),
      text('stt.resolve', 'speech'),
    ],
  }),
  otlpSpan(trace_id, {
    name: 'chat',
    attributes: [
      { key: 'gen_ai.input.messages', value: { arrayValue: { values: [{ stringValue: sentence }] } } },
      text('http.body', JSON.stringify({ reason: 'speechDetected', card: 4_111_111_111_111_111, speech: sentence })),
    ],
  }),
]

const sendSpans = async (spans: readonly object[], url = otlp) => {
  const resource = { attributes: [text('service.name', 'agent'), text('prompt', sentence)] }
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  })
  expect([response.status, await response.json()]).toEqual([200, {}])
}

const sendLines = async (lines: readonly object[], url = otlp) => {
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  const response = await fetch(`${url}/logs`, { method: 'POST', body })
  expect([response.status, await response.json()]).toEqual([200, { stored: lines.length, dropped: 0 }])
}

const sendEvents = async ({ account_sid, call_sid }: TestCaller, events: readonly object[], firstSeq = 0) => {
  const secret = member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  const payload = JSON.stringify(
    events.map((event, at) => {
      const seq = firstSeq + at
      return { call_sid, at: callStart + 2000 + seq * 2000, seq, event }
    }),
  )
  const { statusCode, body } = await api.app.inject({
    method: 'POST',
    url: `/v1/patchbay/Accounts/${account_sid}/ConversationEvents`,
    headers: { 'content-type': 'application/json', 'jambonz-signature': signPayload(payload, secret) },
    payload,
  })
  expect(statusCode).toBe(200)
  return JSON.parse(body) as object
}

const toText = (value: unknown): string => {
  if (!(value instanceof Uint8Array)) return String(value)
  try {
    return gunzipSync(value).toString('utf8')
  } catch {
    return Buffer.from(value).toString('latin1')
  }
}

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())

/** Returns the tables in ClickHouse that contain a text. */
const findInClickHouse = async (secret: string): Promise<string[]> => {
  const { clickHouse } = api
  if (clickHouse === undefined) return []
  const tables = await clickHouse.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
    {},
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await clickHouse.query<object>(`SELECT * FROM ${name}`, {})
    if (rows.some((row) => Object.values(row).some((value) => String(value).includes(secret)))) found.push(name)
  }
  return found
}

/** Returns the tables, and the files of the server, that contain a text. */
const findStored = async (secret: string): Promise<string[]> => {
  const found = await findInClickHouse(secret)
  const folders = [api.services.configuration.dataDir, ...(isMysql ? [] : [dirname(api.test.address)])]
  const tables = await api.test.database.db.introspection.getTables()
  for (const { name: table } of tables.filter(({ name }) => name.startsWith('patchbay_'))) {
    const rows: object[] = await api.test.database.db
      .selectFrom(table as keyof Tables)
      .selectAll()
      .execute()
    if (rows.some((row) => Object.values(row).some((value) => toText(value).includes(secret)))) found.push(table)
  }
  for (const { parentPath, name } of folders.filter(existsSync).flatMap(listFiles))
    if (toText(readFileSync(join(parentPath, name))).includes(secret)) found.push(name)
  return found
}

const expectNothingStored = async (others: readonly string[] = []) => {
  for (const secret of secrets) expect([secret, await findStored(secret)]).toEqual([secret, [...others]])
  expect(logged.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
}

const computeConversation = async ({ account_sid, call_sid }: TestCaller) => {
  const { database } = api.test
  await enqueueConversations(database, [{ account_sid, call_sid }], 0)
  const failures: unknown[] = []
  const onBackgroundError = (error: unknown) => failures.push(error)
  await createConversationJob({ database, sources: api.services, onBackgroundError, now: Date.now })()
  expect(failures).toEqual([])
}

const readTrace = async ({ account_sid, trace_id }: TestCaller) =>
  (await api.admin.get(`/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`)).text

describe('card numbers and patterns', () => {
  test('in spans are in no table and no file, and the spans are complete otherwise', async () => {
    const caller = await createCaller()
    await sendSpans(createSpans(caller))
    // The patterns themselves are stored, and recorded in the audit trail.
    await expectNothingStored()
    await storeCalled(caller)
    const trace = await readTrace(caller)
    expect(trace).toContain(`verb:say{text=${masked}}`)
    expect(trace.split(JSON.stringify(masked)).length).toBeGreaterThan(5)
    expect(trace).toContain(String.raw`\"card\":\"[card number]\"`)
    for (const secret of secrets) expect(trace).not.toContain(secret)
  })

  // Data in ClickHouse is masked when it is read.
  test.skipIf(isClickHouse)(
    'in data of an unknown account are masked when it is read, and in the database once the account is known',
    async () => {
      const caller = await createCaller()
      const { account_sid, call_sid } = caller
      const [root, ...others] = createSpans(caller)
      await sendSpans(others)
      await sendLines([{ time: 1, callSid: call_sid, msg: sentence }])
      for (const cardNumber of cardNumbers) expect(await findStored(cardNumber)).toEqual([])
      expect((await findStored('AB-778899')).toSorted()).toEqual(['patchbay_log_parts', 'patchbay_trace_parts'])
      await sendSpans([root ?? {}])
      const later = otlpSpan(caller.trace_id, { name: 'later', attributes: [text('text', `${sentence} later`)] })
      await sendSpans([later])
      await storeCalled(caller)
      const trace = await readTrace(caller)
      expect(trace).toContain(`${masked} later`)
      for (const secret of secrets) expect(trace).not.toContain(secret)

      await computeConversation(caller)
      await expectNothingStored()
      expect(await readTrace(caller)).toBe(trace)
      const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${call_sid}/logs`)
      expect((body as string[]).map((line) => JSON.parse(line) as object)).toEqual([
        { time: 1, callSid: call_sid, msg: masked },
      ])
    },
  )

  test.skipIf(isClickHouse)(
    'in data of a call whose IDs a call of another account has too are not changed in the database',
    async () => {
      const caller = await createCaller()
      const foreign = { ...(await createCaller({})), trace_id: caller.trace_id, call_sid: caller.call_sid }
      await sendSpans(createSpans(caller, false))
      await sendLines([{ time: 1, callSid: caller.call_sid, msg: sentence }])
      await storeCalled(caller)
      await storeCalled(foreign)
      await computeConversation(caller)
      expect((await findStored('AB-778899')).toSorted()).toEqual(['patchbay_log_parts', 'patchbay_trace_parts'])
      for (const table of ['patchbay_log_parts', 'patchbay_trace_parts'] as const)
        await api.test.database.db.deleteFrom(table).execute()
    },
  )

  test('in log lines are in no table and no file, and lines of a call follow the account of its first', async () => {
    const caller = await createCaller()
    const { account_sid, call_sid: callSid } = caller
    await storeCalled(caller)
    await sendLines([
      { time: 1, callSid, accountSid: account_sid, msg: sentence },
      { time: 2, callSid, evt: { transcript: sentence, body: JSON.stringify({ sentence }) } },
    ])
    await expectNothingStored()
    const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${callSid}/logs`)
    expect((body as string[]).map((line) => JSON.parse(line) as object)).toEqual([
      { time: 1, callSid, accountSid: account_sid, msg: masked },
      { time: 2, callSid, evt: { transcript: masked, body: JSON.stringify({ sentence: masked }) } },
    ])
  })

  test('in events of agents are in no table and no file, and in no conversation', async () => {
    const caller = await createCaller()
    const { account_sid, call_sid } = caller
    await storeCalled(caller)
    await sendEvents(caller, [
      { type: 'user_transcript', transcript: sentence },
      { type: 'llm_response', response: sentence },
      { tool_call_id: 'call_1', name: 'pay', arguments: { card: 4_111_111_111_111_111, note: sentence } },
      { type: 'turn_end', transcript: sentence, response: sentence },
    ])
    await expectNothingStored()
    const { text: conversation } = await api.admin.get(
      `/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`,
    )
    expect(conversation.split(masked).length).toBeGreaterThan(3)
    for (const secret of secrets) expect(conversation).not.toContain(secret)
  })
})

describe('a card number in pieces', () => {
  const pieces = ['6011 oh oh oh', 'nine nine zero', '1 3 9 4', 'two four']
  const [first, ...others] = pieces
  /** A line is JSON in JSON. */
  const keyInLine = String.raw`\"dtmf\":\"6`
  /** Returns the tables with a text. The files of a database keep changed rows until their space is used again. */
  const findInTables = async (piece: string) =>
    (await findStored(piece)).filter((name) => /^patchbay_[a-z_]+$/.test(name))
  const digits = Array.from('6011000990139424')

  test('that is streamed is not stored as deltas and partial texts, and their number is returned', async () => {
    const caller = await createCaller()
    await storeCalled(caller)
    const stream = [
      ...pieces.map((delta) => ({ type: 'conversation.item.input_audio_transcription.delta', item_id: 'a', delta })),
      ...pieces.map((delta) => ({ type: 'response.output_audio_transcript.delta', delta })),
      ...pieces.map((transcript) => ({ type: 'Results', is_final: false, transcript })),
      { type: 'response.output_audio.delta', delta: 'nine nine zero' },
      { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a', transcript: pieces.join(' ') },
    ]
    expect(await sendEvents(caller, stream)).toEqual({ stored: 2, repeated: 0, dropped: 0, skipped: 12 })
    for (const piece of [...pieces, pieces.join(' ')]) expect([piece, await findStored(piece)]).toEqual([piece, []])
    const stored = await api.services.agentEvents.read(caller.account_sid, caller.call_sid)
    expect(stored.map(({ event }) => event)).toEqual([
      { type: 'response.output_audio.delta' },
      { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a', transcript: '[card number]' },
    ])
  })

  test('that is spread over turns of one delivery is not stored', async () => {
    const caller = await createCaller()
    await sendEvents(
      caller,
      pieces.map((transcript) => ({ type: 'user_transcript', transcript })),
    )
    await sendEvents(
      caller,
      digits.map((dtmf) => ({ type: 'dtmf', dtmf: `${dtmf}#` })),
      100,
    )
    for (const piece of [...pieces, '"6#"']) expect([piece, await findStored(piece)]).toEqual([piece, []])
  })

  test('that arrives in several deliveries is masked when it is read, and then in the database', async () => {
    const caller = await createCaller()
    const { account_sid, call_sid } = caller
    await storeCalled(caller)
    const send = (parts: readonly string[], seq: number) =>
      sendEvents(
        caller,
        parts.map((transcript) => ({ type: 'user_transcript', transcript })),
        seq,
      )
    await send([first ?? ''], 0)
    await sendEvents(caller, [{ type: 'llm_response', response: 'Go on.' }], 1)
    await send(others, 2)
    expect(await findInTables(pieces[1] ?? '')).toEqual(['patchbay_agent_events'])
    const path = `/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`
    const { text: conversation } = await api.admin.get(path)
    for (const piece of pieces) expect(conversation).not.toContain(piece)
    expect(conversation).toContain('Go on.')
    await computeConversation(caller)
    for (const piece of pieces) expect([piece, await findInTables(piece)]).toEqual([piece, []])
  })

  // Data in ClickHouse is masked when it is read.
  test.skipIf(isClickHouse)('of spans and log lines is masked when it is read, and then in the database', async () => {
    const caller = await createCaller()
    const { account_sid, call_sid: callSid, trace_id } = caller
    const [root = {}] = createSpans(caller)
    await storeCalled(caller)
    await sendSpans([root])
    for (const [at, transcript] of pieces.entries())
      await sendSpans([
        otlpSpan(trace_id, {
          name: 'stt-listen:1',
          startTimeUnixNano: `${callStart + at}000000`,
          attributes: [text('channel', '1'), text('stt.result', JSON.stringify({ alternatives: [{ transcript }] }))],
        }),
      ])
    for (const [at, dtmf] of digits.entries())
      await sendLines([{ time: callStart + at, callSid, accountSid: account_sid, dtmf }])
    expect((await findStored(pieces[1] ?? '')).length).toBeGreaterThan(0)
    for (const piece of pieces) expect(await readTrace(caller)).not.toContain(piece)
    const { text: log } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${callSid}/logs`)
    expect(log.split('•')).toHaveLength(17)
    expect(await findInTables(keyInLine)).toEqual(['patchbay_log_parts'])
    await computeConversation(caller)
    for (const piece of [...pieces, keyInLine]) expect([piece, await findInTables(piece)]).toEqual([piece, []])
  })
})

test('a provider can keep card numbers, and mask the digits that callers press', async () => {
  const caller = await createCaller({ card_numbers: 0, pressed_digits: 1 })
  const { account_sid, call_sid, trace_id } = caller
  await storeCalled(caller)
  const digit = otlpSpan(trace_id, {
    name: 'dtmf:7',
    attributes: [text('dtmf', '7'), text('duration', '120ms'), text('text', '5555 5555 5555 4444')],
  })
  await sendSpans([createSpans(caller)[0] ?? {}, digit])
  await sendEvents(caller, [{ type: 'user_transcript', transcript: '5555 5555 5555 4444', digits: '123' }])
  const trace = await readTrace(caller)
  expect(trace).toContain('5555 5555 5555 4444')
  expect(trace).toContain('"name":"dtmf:•"')
  expect(trace).not.toContain('dtmf:7')
  const [stored] = await api.services.agentEvents.read(account_sid, call_sid)
  expect(stored?.event).toMatchObject({ transcript: '5555 5555 5555 4444', digits: '•••' })
})

test('texts that were stored before a rule existed are masked when they are read', async () => {
  const caller = await createCaller({ card_numbers: 0 })
  const { account_sid, call_sid, trace_id } = caller
  await storeCalled(caller)
  const spans = createSpans(caller)
  const { traces } = toResponseSpans([{ scopeSpans: [{ spans }] }])
  await storeSpans(api.sinks.traces, trace_id, traces.get(trace_id) ?? [])
  await api.sinks.logs.store([{ call_id: call_sid, text: JSON.stringify({ callSid: call_sid, msg: sentence }) }])
  expect(await readTrace(caller)).toContain(sentence)
  expect((await api.admin.put(caller.path, { card_numbers: 1, patterns })).status).toBe(204)
  for (const path of [
    `/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`,
    `/ServiceProviders/${caller.service_provider_sid}/RecentCalls/trace/${trace_id}`,
    `/Accounts/${account_sid}/RecentCalls/${call_sid}/logs`,
    `/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`,
  ]) {
    const { status, text: read } = await api.admin.get(path)
    expect([path, status]).toEqual([path, 200])
    expect(read).toContain(masked)
    for (const secret of secrets) expect([path, read]).toEqual([path, expect.not.stringContaining(secret)])
  }
})

test('data that waits for ClickHouse on the disk is masked, without an account by the rules of the only provider', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const unreachable = `http://user:password@127.0.0.1:${await freePort()}/patchbay`
  const other = await createTestApi({
    CLICKHOUSE_URL: unreachable,
    INTAKE_OTLP: String(port),
    INTAKE_INFLUX: '0',
    INTAKE_HEP: '0',
  })
  const { configuration } = other.services
  const stop = await startIngestServers(other.services, other.app.log, 1000)
  const [provider] = getRows(await other.admin.get('/ServiceProviders'))
  const service_provider_sid = String(provider?.['service_provider_sid'])
  const path = `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`
  expect((await other.admin.put(path, { patterns })).status).toBe(204)
  const call_sid = randomUUID()
  const trace_id = randomBytes(16).toString('hex')
  await sendSpans(createSpans({ account_sid: '', call_sid, trace_id, service_provider_sid, path }, false), url)
  await sendLines([{ callSid: call_sid, msg: sentence }], url)
  const spool = join(configuration.dataDir, 'clickhouse-spool')
  const waiting = listFiles(spool)
    .filter(({ name }) => name.endsWith('.gz'))
    .map(({ parentPath, name }) => toText(readFileSync(join(parentPath, name))))
  expect(waiting.filter((content) => content.includes(trace_id))).toHaveLength(1)
  expect(waiting.filter((content) => content.includes(call_sid)).length).toBeGreaterThan(1)
  expect(waiting.every((content) => content.includes(masked))).toBe(true)
  for (const secret of secrets) expect(waiting.filter((content) => content.includes(secret))).toEqual([])
  await stop()
  await other.close()
})

test('a trace in Jaeger is masked when it is read', async () => {
  const jaeger = await startFakeJaeger()
  const other = await createTestApi({ JAEGER_BASE_URL: jaeger.base })
  const service_provider_sid = await other.provider()
  const account_sid = await other.account(service_provider_sid)
  const trace_id = randomBytes(16).toString('hex')
  const record = callRecord(account_sid, { service_provider_sid, trace_id })
  await other.sinks.calls.store([record])
  const spans = createSpans({ account_sid, call_sid: randomUUID(), trace_id, service_provider_sid, path: '' })
  jaeger.traces.set(trace_id, JSON.stringify({ result: { resourceSpans: [{ scopeSpans: [{ spans }] }] } }))
  const answer = await other.admin.get(`/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`)
  expect(Object.keys(getRow(answer))).toEqual(['resourceSpans'])
  expect(answer.text).toContain('[card number]')
  for (const cardNumber of cardNumbers) expect(answer.text).not.toContain(cardNumber)
  await other.close()
  await jaeger.stop()
})

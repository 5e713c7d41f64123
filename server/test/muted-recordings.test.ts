import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { findSpokenTurns } from '@patchbay/rules/conversations/speaker-segmentation'
import { composeCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
import { detectVoices } from '@patchbay/testkit/calls/voices/synthetic-corpus'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { MPEGDecoder } from 'mpg123-decoder'
import { beforeAll, describe, expect, test } from 'vitest'
import { callRecord, getRow, otlpSpan, type Row } from './fixtures.ts'
import { encodeRecording, type Format, getRecordingPath, type StoredCall, storeRecording } from './recorded-calls.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Downloads of recordings that are silent where the conversation of their call is masked. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)

const call = composeCall(23, { noise: 'none' }, 3)
const turns = findSpokenTurns(detectVoices(call)).filter(({ isBackchannel }) => !isBackchannel)
const cardTurn = turns.findIndex(({ speaker }) => speaker === 'caller')
const card = 'My card is four one one one, one one one one, one one one one, one one one one.'
/** The recording starts 700 ms after the call. */
const recordingStart = 700
const callStart = Date.parse('2026-05-01T10:00:00Z')
const recordingEnd = recordingStart + call.caller.length / 8

type Say = (turn: (typeof turns)[number], position: number) => string | undefined
const sayCard: Say = ({ speaker }, position) =>
  position === cardTurn ? card : `${speaker === 'agent' ? 'Answer' : 'Question'} ${position}.`

interface Traced {
  say?: Say
  hasRecordSpan?: boolean
  recordedMs?: number
  more?: (make: Make, root: Row) => Row[]
}
type Make = (name: string, from: number, until: number, attributes?: Record<string, string>, parent?: Row) => Row

const storeTrace = async (account_sid: string, { say = sayCard, hasRecordSpan = true, recordedMs, more }: Traced) => {
  const trace_id = randomUUID().replaceAll('-', '')
  const make: Make = (name, from, until, attributes = {}, parent) =>
    otlpSpan(trace_id, {
      name,
      startTimeUnixNano: `${callStart + Math.round(from)}000000`,
      endTimeUnixNano: `${callStart + Math.round(until)}000000`,
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
      ...(parent ? { parentSpanId: parent['spanId'] } : {}),
    })
  const root = make('incoming-call', 0, recordingEnd + 100, { accountSid: account_sid })
  const end = recordingStart + (recordedMs ?? recordingEnd - recordingStart)
  const record = hasRecordSpan ? [make('background-record:listen', recordingStart, end, {}, root)] : []
  const spans = turns.flatMap((turn, position) => {
    const text = say(turn, position)
    if (text === undefined) return []
    const [start, until] = [turn.start + recordingStart, turn.end + recordingStart]
    return turn.speaker === 'agent'
      ? make('verb:say{text=x}', start - 20, until + 10, { text }, root)
      : make(
          'verb:gather{inputs=speech}',
          start - 400,
          until + 300,
          {
            'stt.result': JSON.stringify({ alternatives: [{ transcript: text, confidence: 0.9 }] }),
            'stt.resolve': 'speech',
          },
          root,
        )
  })
  const payload = {
    resourceSpans: [{ scopeSpans: [{ spans: [root, ...record, ...spans, ...(more?.(make, root) ?? [])] }] }],
  }
  expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
  return trace_id
}

const content: Record<Format, Buffer> = { mp3: Buffer.alloc(0), wav: Buffer.alloc(0) }
beforeAll(async () => {
  for (const format of ['mp3', 'wav'] as const) content[format] = await encodeRecording(toPcm(call), format)
})

const storeTracedCall = async (
  format: Format,
  traced: Traced = {},
  { provider = service_provider_sid, file = content[format] }: { provider?: string; file?: Buffer } = {},
): Promise<StoredCall> => {
  const account_sid = await api.account(provider)
  const trace_id = await storeTrace(account_sid, traced)
  const owner = { account_sid, service_provider_sid: provider, call_sid: randomUUID() }
  return storeRecording(api, file, format, { ...owner, trace_id })
}

const download = async (path: string, headers: Record<string, string> = {}, token = api.admin.token) => {
  const request = {
    method: 'GET',
    url: `/v1${path}`,
    headers: { authorization: `Bearer ${token}`, ...headers },
  } as const
  // The analysis of the recording has to end first.
  for (let remaining = 200; remaining > 0; remaining -= 1) {
    const { statusCode: status, rawPayload: bytes, headers: answered } = await api.app.inject(request)
    if (status !== 503) return { status, bytes, headers: answered }
    expect([JSON.parse(String(bytes)).code, answered['retry-after']]).toEqual(['recording_being_analyzed', '2'])
    await pause(50)
  }
  throw new Error('the recording was not analyzed')
}
const getMessage = ({ bytes }: { bytes: Buffer }) => JSON.parse(String(bytes)).msg as string

const decode = async (format: Format, bytes: Buffer): Promise<Float32Array[]> => {
  if (format === 'wav')
    return [0, 1].map((channel) =>
      Float32Array.from(
        { length: (bytes.length - 44) / 4 },
        (_, at) => bytes.readInt16LE(44 + at * 4 + channel * 2) / 32_768,
      ),
    )
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  const { channelData } = decoder.decode(bytes)
  decoder.free()
  return channelData.map((samples) => samples.subarray(1105))
}

const measureLoudness = (samples: Float32Array | undefined, start: number, end: number): number => {
  const part = samples?.subarray(start * 8, end * 8) ?? new Float32Array(1)
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length)
}

const channels = { caller: 0, agent: 1 } as const

/** Expects that a turn is silent in the channel of its speaker, and that all other turns sound as before. */
const expectSilentTurns = async (format: Format, bytes: Buffer, silent: readonly number[]) => {
  const [before, after] = [await decode(format, content[format]), await decode(format, bytes)]
  for (const [position, { speaker, start, end }] of turns.entries()) {
    const channel = channels[speaker]
    const isSilent = silent.includes(position)
    const [loud, muted] = [measureLoudness(before[channel], start, end), measureLoudness(after[channel], start, end)]
    expect(loud).toBeGreaterThan(0.01)
    if (isSilent) expect([position, muted]).toEqual([position, 0])
    else if (!silent.some((other) => turns[other]?.speaker === speaker && isNear(turns[other], { start, end })))
      expect([position, muted]).toEqual([position, loud])
  }
}
const isNear = (a: { start: number; end: number }, b: { start: number; end: number }) =>
  a.start - 1000 < b.end && b.start < a.end + 1000

describe.each(['wav', 'mp3'] as const)('a muted download (%s)', (format) => {
  test('is silent where a card number is spoken, and has everything else', async () => {
    const stored = await storeTracedCall(format)
    const path = getRecordingPath(stored, format)
    const { status, bytes, headers } = await download(`${path}?muted=true`)
    expect([status, headers['content-type'], headers['accept-ranges']]).toEqual([200, `audio/${format}`, 'bytes'])
    expect(bytes.length).toBe(content[format].length)
    await expectSilentTurns(format, bytes, [cardTurn])
    for (const query of ['', '?muted=false'])
      expect((await download(`${path}${query}`)).bytes.equals(content[format])).toBe(true)
    const conversation = getRow(
      await api.admin.get(`/patchbay/accounts/${stored.account_sid}/calls/${stored.call_sid}/conversation`),
    )
    const [range] = conversation['muted_ranges'] as {
      speaker: string
      reason: string
      start_ms: number
      end_ms: number
    }[]
    const { start = 0, end = 0 } = turns[cardTurn] ?? {}
    expect(range).toMatchObject({ speaker: 'caller', reason: 'masked_text' })
    expect(range?.start_ms).toBeLessThanOrEqual(start + recordingStart - 300)
    expect(range?.end_ms).toBeGreaterThanOrEqual(end + recordingStart + 300)
  })

  test('can be requested in ranges, and by many at the same time', async () => {
    const path = `${getRecordingPath(await storeTracedCall(format), format)}?muted=true`
    const { bytes } = await download(path)
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, request) => {
        const first = Math.floor((bytes.length * request) / 61)
        const last = Math.min(bytes.length - 1, first + 20_000)
        const part = await download(path, { range: `bytes=${first}-${last}` })
        expect([part.status, part.headers['content-range']]).toEqual([206, `bytes ${first}-${last}/${bytes.length}`])
        return part.bytes.equals(bytes.subarray(first, last + 1))
      }),
    )
    expect(answers.every(Boolean)).toBe(true)
    expect((await download(path, { range: `bytes=${bytes.length}-` })).status).toBe(416)
  })
})

test('speech without a text, masked digits, and what an agent repeats are silent, too', async () => {
  const agentTurn = turns.findIndex(({ speaker }, position) => speaker === 'agent' && position > cardTurn)
  const lastCaller = turns.findLastIndex(({ speaker }) => speaker === 'caller')
  const provider = await api.provider()
  const rules = `/patchbay/ServiceProviders/${provider}/MaskingRules`
  const patterns = [{ name: 'Orders', expression: 'order \\d+', replacement: 'order' }]
  expect((await api.admin.put(rules, { pressed_digits: true, patterns })).status).toBe(204)
  const pressedAt = (turns[0]?.start ?? 0) + 400
  const stored = await storeTracedCall(
    'wav',
    {
      say: (turn, position) =>
        position === lastCaller ? undefined : position === agentTurn ? 'That is order 123.' : `Text ${turn.speaker}.`,
      more: (make, root) => [
        make('dtmf:5', recordingStart + pressedAt, recordingStart + pressedAt, { dtmf: '5', duration: '120ms' }, root),
      ],
    },
    { provider },
  )
  const { status, bytes } = await download(`${getRecordingPath(stored, 'wav')}?muted=true`)
  expect(status).toBe(200)
  const after = await decode('wav', bytes)
  for (const position of [agentTurn, lastCaller]) {
    const { speaker = 'agent', start = 0, end = 0 } = turns[position] ?? {}
    expect(measureLoudness(after[channels[speaker]], start, end)).toBe(0)
  }
  for (const samples of after) expect(measureLoudness(samples, Math.max(0, pressedAt - 1000), pressedAt + 1000)).toBe(0)
})

describe('a provider that mutes its recordings', () => {
  test('has only muted downloads: of accounts, of the provider, of administrators, and of links to shared calls', async () => {
    const provider = await api.provider()
    const rules = `/patchbay/ServiceProviders/${provider}/MaskingRules`
    const stored = await storeTracedCall('wav', {}, { provider })
    const path = getRecordingPath(stored, 'wav')
    const muted = (await download(`${path}?muted=true`)).bytes
    expect((await download(path)).bytes.equals(content.wav)).toBe(true)
    expect((await api.admin.put(rules, { mute_recordings: true })).status).toBe(204)
    expect(getRow(await api.admin.get(rules))).toMatchObject({ mute_recordings: 1, card_numbers: 1 })
    const user = await api.apiKey({ account_sid: stored.account_sid })
    const owned = path.replace(`/Accounts/${stored.account_sid}`, `/ServiceProviders/${provider}`)
    for (const [requested, token] of [
      [path, api.admin.token],
      [`${path}?muted=false`, api.admin.token],
      [owned, api.admin.token],
      [path, user.caller.token],
    ] as const)
      expect((await download(requested, {}, token)).bytes.equals(muted)).toBe(true)
    const range = await download(path, { range: 'bytes=100-199' })
    expect([range.status, range.bytes.equals(muted.subarray(100, 200))]).toEqual([206, true])
    const share = await api.admin.post(`/patchbay/Accounts/${stored.account_sid}/Calls/${stored.call_sid}/Shares`, {
      expires_in_hours: 1,
      includes_recording: true,
    })
    const shared = await download('/patchbay/shared-call/recording', {}, member(share, 'token'))
    expect(shared.bytes.equals(muted)).toBe(true)
    // The rule of one provider changes nothing for another.
    const other = await storeTracedCall('wav')
    expect((await download(getRecordingPath(other, 'wav'))).bytes.equals(content.wav)).toBe(true)
    expect((await api.admin.put(rules, { mute_recordings: false })).status).toBe(204)
    expect((await download(path)).bytes.equals(content.wav)).toBe(true)
  })

  test('never returns a recording of which it does not know what to mute', async () => {
    const provider = await api.provider()
    const rules = `/patchbay/ServiceProviders/${provider}/MaskingRules`
    expect((await api.admin.put(rules, { mute_recordings: true })).status).toBe(204)
    const incomplete =
      'The recording cannot be muted: Patchbay needs the complete trace of the call, with a transcript and the start of the recording.'
    const ofOther = 'The recording cannot be muted: it is not the one that the record of the call names.'
    const ask = async (stored: StoredCall, format = 'wav') => {
      const answer = await download(getRecordingPath(stored, format))
      return [answer.status, getMessage(answer)]
    }
    expect(await ask(await storeTracedCall('wav', { say: () => undefined }, { provider }))).toEqual([409, incomplete])
    expect(await ask(await storeTracedCall('wav', { hasRecordSpan: false }, { provider }))).toEqual([409, incomplete])
    // The recording was paused.
    const recordedMs = recordingEnd + 4000
    expect(await ask(await storeTracedCall('wav', { recordedMs }, { provider }))).toEqual([409, incomplete])
    const account_sid = await api.account(provider)
    const untraced = { account_sid, service_provider_sid: provider, call_sid: randomUUID() }
    expect(await ask(await storeRecording(api, content.wav, 'wav', untraced))).toEqual([409, incomplete])
    const mono = Buffer.from(content.wav)
    mono.writeUInt16LE(1, 22)
    expect(await ask(await storeTracedCall('wav', {}, { provider, file: mono }))).toEqual([
      409,
      'The recording cannot be muted: it is not audio with a channel for each side.',
    ])
    // The record of the call names another recording.
    const call_sid = randomUUID()
    const trace_id = await storeTrace(account_sid, {})
    const recording_url = getRecordingPath({ account_sid, call_sid }, 'mp3')
    const renamed = { account_sid, service_provider_sid: provider, call_sid, trace_id, recording_url }
    expect(await ask(await storeRecording(api, content.wav, 'wav', renamed))).toEqual([409, ofOther])
    // Another recording of the same call.
    const twice = await storeTracedCall('wav', {}, { provider })
    await storeRecording(api, content.wav, 'wav', { ...twice, service_provider_sid: provider })
    expect(await ask(twice, '2.wav')).toEqual([409, ofOther])
  })

  test('does not mute a file by the times of another one', async () => {
    const stored = await storeTracedCall('wav')
    const path = `${getRecordingPath(stored, 'wav')}?muted=true`
    expect((await download(path)).status).toBe(200)
    await api.test.database.db
      .updateTable('patchbay_voice_activities')
      .set(({ fn, val }) => ({ activity: fn('replace', ['activity', val('"fileBytes":'), val('"fileBytes":1')]) }))
      .where('call_sid', '=', stored.call_sid)
      .execute()
    const answer = await download(path)
    expect([answer.status, getMessage(answer)]).toEqual([
      409,
      'The recording cannot be muted: it is not the file that was analyzed. Try again later.',
    ])
  })
})

test('a muted recording is not that of another tenant, and the parameter is checked', async () => {
  const stored = await storeTracedCall('wav')
  const path = `${getRecordingPath(stored, 'wav')}?muted=true`
  const sibling = await api.account(service_provider_sid)
  const { caller } = await api.apiKey({ account_sid: sibling })
  expect((await download(path, {}, caller.token)).status).toBe(403)
  const foreign = path.replace(stored.account_sid, sibling)
  expect((await download(foreign, {}, caller.token)).status).toBe(404)
  // A call of the own account that names the foreign recording.
  const call_sid = randomUUID()
  await api.sinks.calls.store([
    callRecord(sibling, { service_provider_sid, call_sid, recording_url: getRecordingPath(stored, 'wav') }),
  ])
  expect((await download(`${getRecordingPath({ account_sid: sibling, call_sid }, 'wav')}?muted=true`)).status).toBe(404)
  const invalid = await download(path.replace('true', 'yes'))
  expect([invalid.status, getMessage(invalid)]).toEqual([400, 'muted must be true or false'])
})

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Conversation } from '@patchbay/contract/conversations'
import { findSpokenTurns } from '@patchbay/rules/conversations/speaker-segmentation'
import { composeCall, type SyntheticCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
import { detectVoices } from '@patchbay/testkit/calls/voices/synthetic-corpus'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, otlpSpan, type Row, storeCall } from './fixtures.ts'
import { encodeRecording, type Format, type StoredCall, storeRecording as storeRecordedFile } from './recorded-calls.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Conversations of recorded calls, from the stored file and the trace to the API response. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)

/** Stores a file as the recording of a call of an account, by default of a new one. */
const storeRecording = async (
  content: Uint8Array,
  format: Format,
  { account_sid, ...more }: { account_sid?: string; trace_id?: string } = {},
): Promise<StoredCall> => {
  const owner = { account_sid: account_sid ?? (await api.account(service_provider_sid)), service_provider_sid }
  return storeRecordedFile(api, content, format, { ...owner, call_sid: randomUUID(), ...more })
}

const getPath = ({ account_sid, call_sid }: StoredCall) =>
  `/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`

/** Reads the conversation as the console does: again while the recording is analyzed. */
const readConversation = async (call: StoredCall): Promise<Conversation> => {
  for (let remaining = 100; remaining > 0; remaining -= 1) {
    const answer = await api.admin.get(getPath(call))
    expect(answer.status).toBe(200)
    const conversation = getRow(answer) as unknown as Conversation
    if (conversation.recording?.status !== 'analyzing') return conversation
    await pause(100)
  }
  throw new Error('the recording was not analyzed')
}

const expectNear = (value: number | undefined, expected: number): void =>
  expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThanOrEqual(100)

/** Expects the turns of a call in a conversation. */
const expectTurns = ({ turns }: Conversation, call: SyntheticCall): void => {
  const expected = call.turns.filter(({ isBackchannel }) => !isBackchannel)
  expect(turns.map(({ speaker }) => speaker)).toEqual(expected.map(({ speaker }) => speaker))
  for (const [position, { start, end }] of expected.entries()) {
    expectNear(turns[position]?.start_ms, start)
    expectNear(turns[position]?.end_ms, end)
  }
}

describe('a recorded call without a trace', () => {
  const call = composeCall(11, { noise: 'pink', signalToNoise: 25 }, 3)

  test.each(['mp3', 'wav'] as const)(
    'has its turns, gaps, and interruptions from the recording (%s)',
    async (format) => {
      const conversation = await readConversation(
        await storeRecording(await encodeRecording(toPcm(call), format), format),
      )
      expect(conversation.recording).toEqual({
        status: 'analyzed',
        start_ms: 0,
        encoder_delay_ms: format === 'mp3' ? 138 : 0,
      })
      expectTurns(conversation, call)
      expect(
        conversation.turns.every(
          ({ text, start_evidence, span_id }) => [text, start_evidence, span_id].join() === ',measured,',
        ),
      ).toBe(true)
      const gaps = conversation.turns.flatMap(({ gap }) => gap ?? [])
      expect(gaps.length).toBe(call.gaps.length)
      for (const [position, gap] of call.gaps.entries()) expectNear(gaps[position]?.duration_ms, gap.end - gap.start)
      const interruptions = conversation.turns.flatMap(({ interruption }) => interruption ?? [])
      expect(interruptions.map(({ by }) => by)).toEqual(call.interruptions.map(({ by }) => by))
    },
  )

  test('is analyzed once, and not by other tenants', async () => {
    const stored = await storeRecording(await encodeRecording(toPcm(call), 'mp3'), 'mp3')
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.admin.get(getPath(stored))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const first = await readConversation(stored)
    expect(await readConversation(stored)).toEqual(first)
    const rows = await api.test.database.db
      .selectFrom('patchbay_voice_activities')
      .select('method_version')
      .where('call_sid', '=', stored.call_sid)
      .execute()
    expect(rows.length).toBe(1)
    const sibling = await api.account(service_provider_sid)
    expect((await api.admin.get(getPath({ ...stored, account_sid: sibling }))).status).toBe(404)
  })

  test('cannot name the recording of another account or call', async () => {
    const foreign = await storeRecording(await encodeRecording(toPcm(call), 'mp3'), 'mp3')
    const recording_url = `/Accounts/${foreign.account_sid}/RecentCalls/${foreign.call_sid}/record/2026/05/01/mp3`
    const account_sid = await api.account(service_provider_sid)
    const call_sid = await storeCall(api, { account_sid, service_provider_sid, recording_url })
    expect((await api.admin.get(getPath({ account_sid, call_sid }))).status).toBe(404)
    const own = await storeCall(api, { account_sid: foreign.account_sid, service_provider_sid, recording_url })
    expect((await api.admin.get(getPath({ account_sid: foreign.account_sid, call_sid: own }))).status).toBe(404)
  })

  test('has no voice activity after its recording is deleted', async () => {
    const stored = await storeRecording(await encodeRecording(toPcm(call), 'wav'), 'wav')
    expect((await readConversation(stored)).turns.length).toBeGreaterThan(0)
    const path = `/Accounts/${stored.account_sid}/RecentCalls/${stored.call_sid}/record/2026/05/01/wav`
    expect((await api.admin.delete(path)).status).toBe(204)
    const { recording, turns } = await readConversation(stored)
    expect([recording?.status, turns]).toEqual(['unavailable', []])
  })
})

describe('a recording that cannot be analyzed', () => {
  const silence = Buffer.alloc(32_000)
  const toMono = (wav: Buffer): Buffer => {
    const mono = Buffer.from(wav)
    mono.writeUInt16LE(1, 22)
    return mono
  }
  const withRate = (wav: Buffer, sampleRate: number): Buffer => {
    const changed = Buffer.from(wav)
    changed.writeUInt32LE(sampleRate, 24)
    return changed
  }
  const random = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919 * (at % 13)) % 256))

  test.each<[string, Format, () => Promise<Buffer> | Buffer]>([
    ['an empty file', 'mp3', () => Buffer.alloc(0)],
    ['a text as MP3', 'mp3', () => Buffer.from('<html>Not Found</html>')],
    ['other bytes as MP3', 'mp3', () => random],
    ['other bytes as WAV', 'wav', () => random],
    ['a header without samples', 'wav', async () => (await encodeRecording(silence, 'wav')).subarray(0, 40)],
    ['one channel', 'wav', async () => toMono(await encodeRecording(silence, 'wav'))],
    [
      'no channel',
      'wav',
      async () => {
        const wav = await encodeRecording(silence, 'wav')
        wav.writeUInt16LE(0, 22)
        return wav
      },
    ],
    ['a sample rate of 1 Hz', 'wav', async () => withRate(await encodeRecording(silence, 'wav'), 1)],
    ['a sample rate of 4 GHz', 'wav', async () => withRate(await encodeRecording(silence, 'wav'), 4_000_000_000)],
  ])('is unreadable: %s', async (_what, format, create) => {
    const { recording, turns } = await readConversation(await storeRecording(await create(), format))
    expect([recording?.status, turns]).toEqual(['unreadable', []])
  })

  test('has no turns: silence', async () => {
    const conversation = await readConversation(await storeRecording(await encodeRecording(silence, 'wav'), 'wav'))
    expect([conversation.recording?.status, conversation.turns, conversation.duration_ms]).toEqual([
      'analyzed',
      [],
      1000,
    ])
  })
})

describe('a recorded call with a trace', () => {
  const call = composeCall(23, { noise: 'none' }, 2)
  const voices = detectVoices(call)

  test('has the texts of the trace at the times of the recording', async () => {
    const account_sid = await api.account(service_provider_sid)
    const trace_id = randomUUID().replaceAll('-', '')
    const at = Date.parse('2026-05-01T10:00:00Z')
    const toText = (attributes: Readonly<Record<string, string>>) =>
      Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
    const make = (name: string, from: number, until: number, attributes: Record<string, string>, parent?: Row): Row =>
      otlpSpan(trace_id, {
        name,
        startTimeUnixNano: `${at + from}000000`,
        endTimeUnixNano: `${at + until}000000`,
        attributes: toText(attributes),
        ...(parent ? { parentSpanId: parent['spanId'] } : {}),
      })
    const root = make('incoming-call', 0, 60_000, { accountSid: account_sid })
    // The recording starts 700 ms after the call.
    const record = make('background-record:listen', 700, 60_000, {}, root)
    const spans = findSpokenTurns(voices)
      .filter(({ isBackchannel }) => !isBackchannel)
      .map(({ speaker, start, end }, position) =>
        speaker === 'agent'
          ? make('verb:say{text=x}', start + 680, end + 710, { text: `Answer ${position}.` }, root)
          : make(
              'verb:gather{inputs=speech}',
              start + 300,
              end + 1000,
              {
                'stt.result': JSON.stringify({
                  alternatives: [{ transcript: `Question ${position}.`, confidence: 0.9 }],
                }),
                'stt.resolve': 'speech',
              },
              root,
            ),
      )
    const payload = { resourceSpans: [{ scopeSpans: [{ spans: [root, record, ...spans] }] }] }
    expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
    const stored = await storeRecording(await encodeRecording(toPcm(call), 'mp3'), 'mp3', { account_sid, trace_id })
    const conversation = await readConversation(stored)
    expect(conversation.recording).toEqual({ status: 'analyzed', start_ms: 700, encoder_delay_ms: 138 })
    const shifted = call.turns.map((turn) => ({ ...turn, start: turn.start + 700, end: turn.end + 700 }))
    expectTurns(conversation, { ...call, turns: shifted })
    expect(conversation.turns.map(({ text }) => text !== '')).toEqual(conversation.turns.map(() => true))
    const gap = conversation.turns.find((turn) => turn.gap !== null)?.gap
    expect(gap?.starts_at).toBe('end_of_speech')
    // The platform has reported no latency, so the recognition is derived from the end of speech in the recording.
    const recognition = gap?.parts.find(({ kind }) => kind === 'speech_to_text')
    expect(recognition?.evidence).toBe('derived')
    expectNear(recognition?.duration_ms ?? undefined, 300)
  })
})

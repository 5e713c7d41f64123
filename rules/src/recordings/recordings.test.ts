import { describe, expect, test } from 'vitest'
import { lastMilliseconds, parseSpans } from '../traces/traces.ts'
import {
  computePeaks,
  jumped,
  jumpSeconds,
  parseRecordingUrl,
  peaksPerSecond,
  pixelsPerSecond,
  sampleRate,
  soundBegin,
  soundEnd,
  wavePixels,
} from './recordings.ts'
import { findSpeechSpans, parseSpeechResult, toRegions } from './regions.ts'
import { lineAt, toTranscript, transcriptText } from './transcript.ts'

const account_sid = '11111111-1111-4111-8111-111111111111'
const call_sid = '22222222-2222-4222-8222-222222222222'
const path = `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/2026/05/01/mp3`
const apiBase = 'https://voice.example.org/api/v1'

describe('parseRecordingUrl', () => {
  const parts = { account_sid, call_sid, year: '2026', month: '05', day: '01', format: 'mp3' }
  test.each([
    [path, { path: parts }],
    [`${apiBase}${path}`, { path: parts }],
    [`https://voice.example.org/v1${path}`, { path: parts }],
    [`https://other.example.org/api/v1${path}`, { elsewhere: `https://other.example.org/api/v1${path}` }],
    [`http://voice.example.org/api/v1${path}`, { elsewhere: `http://voice.example.org/api/v1${path}` }],
    [`${path}/../../../..`, undefined],
    [`/Accounts/${account_sid}`, undefined],
    [`.evil.example${path}`, undefined],
    [`//evil.example${path}`, undefined],
    ['javascript:alert(1)', undefined],
    ['https://', undefined],
    ['', undefined],
  ])('%s', (url, expected) => expect(parseRecordingUrl(url, apiBase)).toEqual(expected))
})

test('CALLS-14 CALLS-15 jumps 15 s, and draws 50 pixels high, with 100 pixels per second, of 8000 samples per second', () => {
  expect([jumpSeconds, wavePixels, pixelsPerSecond, sampleRate]).toEqual([15, 50, 100, 8000])
})

/** Returns peaks that alternate between silence and sound, with the given durations in seconds. */
const sound = (...seconds: number[]): Float32Array =>
  Float32Array.from(
    seconds.flatMap((length, position) =>
      Array.from({ length: Math.round(length * peaksPerSecond) }, () => (position % 2 === 0 ? 0 : 0.031)),
    ),
  )

describe('silence', () => {
  test('CALLS-29 treats peaks up to 0.03, and sounds shorter than 5 peaks, as silence', () => {
    const peaks = (...loud: number[]) => Float32Array.from([0, 0, ...loud, 0, 0])
    const ends = (some: Float32Array) => soundEnd(some, 0, 1)
    expect(ends(peaks(0.03, 0.03, 0.03, 0.03, 0.03))).toBeUndefined()
    expect(ends(peaks(0.04, 0.04, 0.04, 0.04))).toBeUndefined()
    expect(ends(peaks(0.04, 0.04, 0, 0.04, 0.04, 0.04))).toBeUndefined()
    expect(ends(peaks(0.04, -0.04, 0.04, -0.04, 0.04))).toBeCloseTo(7 / peaksPerSecond + 0.02)
  })

  test('CALLS-29 finds the beginning and end of sounds in a part of a channel', () => {
    const peaks = sound(1, 1, 0.5, 0.5, 1)
    expect(soundEnd(peaks, 0, 4)).toBeCloseTo(3.02)
    expect(soundEnd(peaks, 0, 2.2)).toBeCloseTo(2.02)
    expect(soundEnd(peaks, 3.1, 4)).toBeUndefined()
    expect(soundEnd(peaks, 0, 99)).toBeCloseTo(3.02)
    expect(soundBegin(peaks, 0, 4)).toBeCloseTo(1)
    expect(soundBegin(peaks, 2.1, 4)).toBeCloseTo(2.5)
    expect(soundBegin(peaks, 3.1, 99)).toBeUndefined()
  })

  test('computes a peak as the loudest of ten samples, with its sign', () => {
    const samples = new Float32Array(25)
    samples.set([0.1, -0.5, 0.2], 3)
    samples[24] = 0.25
    expect([...computePeaks(samples)]).toEqual([-0.5, 0, 0.25])
    expect(computePeaks(new Float32Array(0))).toHaveLength(0)
  })
})

test.each([
  [20, -15, 40, 5],
  [10, -15, 40, 0],
  [10, 15, 40, 25],
  [30, 15, 40, 39],
  [0, 15, 0.4, 0],
])('jumps from %f by %f in a recording of %f s to %f', (at, by, duration, to) =>
  expect(jumped(at, by, duration)).toBe(to),
)

test.each([
  [
    '{"vendor":{"name":"google"},"alternatives":[{"transcript":"hi","confidence":0.9},{"transcript":"high"}],"language_code":"en-US"}',
    { vendor: 'google', transcript: 'hi', confidence: 0.9, language_code: 'en-US' },
  ],
  [
    '{"vendor":"deepgram","alternatives":[{"transcript":"hi","confidence":"0.5"}]}',
    { vendor: 'deepgram', transcript: 'hi', confidence: 0.5 },
  ],
  ['[{"alternatives":[{"transcript":"hi"}]},{"alternatives":[{"transcript":"hi there"}]}]', { transcript: 'hi there' }],
  ['{"alternatives":[]}', {}],
  ['{"alternatives":{"transcript":"hi"}}', undefined],
  ['{"speech":1}', undefined],
  ['[]', undefined],
  ['null', undefined],
  ['"words"', undefined],
  ['{"vendor":', undefined],
  ['', undefined],
])('stt.result %s', (text, result) => expect(parseSpeechResult(text)).toEqual(result))

test.each([
  ['300', 300],
  ['120,300', 300],
  [250, 250],
  ['', undefined],
  ['0', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('stt.latency_ms %s', (value, milliseconds) => expect(lastMilliseconds(value)).toBe(milliseconds))

interface Planned {
  name: string
  /** Milliseconds since the beginning of the recording. */
  from: number
  until: number
  parent?: number
  attributes?: Record<string, string | number | boolean>
}

const spanId = (position: number): string => String(position + 1).padStart(16, 'a')

/** Creates a trace that begins two seconds before its recording. */
const createTrace = (planned: readonly Planned[]) => {
  const toOtlpValue = (value: string | number | boolean) =>
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'number'
        ? { doubleValue: value }
        : { boolValue: value }
  return parseSpans({
    resourceSpans: planned.map(({ name, from, until, parent, attributes = {} }, position) => ({
      scopeSpans: [
        {
          spans: [
            {
              spanId: spanId(position),
              parentSpanId: parent === undefined ? '' : spanId(parent),
              name,
              startTimeUnixNano: `${2000 + from}000000`,
              endTimeUnixNano: `${2000 + until}000000`,
              attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: toOtlpValue(value) })),
            },
          ],
        },
      ],
    })),
  })
}

const recording: Planned = { name: 'background-record:listen', from: 0, until: 60_000 }
const result = JSON.stringify({
  vendor: { name: 'google' },
  alternatives: [{ transcript: 'Yes please.', confidence: 0.87 }],
  language_code: 'en-US',
})
const read = { vendor: 'google', transcript: 'Yes please.', confidence: 0.87, language_code: 'en-US' }

/** Returns the regions of a trace with these spans and a recording. */
const regionsFrom = (span: Planned, ...more: Planned[]) => toRegions(createTrace([recording, span, ...more]))

describe('regions', () => {
  test('CALLS-28 are relative to background-record:listen, and absent without it', () => {
    const dtmf = { name: 'dtmf:5', from: 4000, until: 4000, attributes: { dtmf: '5', duration: '250ms', channel: 1 } }
    expect(toRegions(createTrace([dtmf]))).toEqual([])
    expect(toRegions(createTrace([recording, dtmf]))).toEqual([
      { kind: 'dtmf', id: spanId(1), channel: 0, start: 4, end: 4.25, details: { digit: '5', duration: '250ms' } },
    ])
    expect(regionsFrom({ ...dtmf, from: -900, until: -800 })).toEqual([])
  })

  test.each([
    ['20ms', 0.1],
    ['0.5s', 0.5],
    ['300', 0.3],
    ['long', 0.1],
  ])('a digit of %s lasts %f s, but at least 0.1 s', (duration, seconds) => {
    const [region] = regionsFrom({ name: 'dtmf:#', from: 1000, until: 1000, attributes: { dtmf: '#', duration } })
    expect((region?.end ?? 0) - (region?.start ?? 0)).toBeCloseTo(seconds)
  })

  test.each([
    { name: 'stt-listen:1', channel: 0 },
    { name: 'stt-listen:2', channel: 1 },
    { name: 'stt-listen:0', channel: 0 },
    { name: 'verb:gather{inputs=speech,digits}', channel: 0 },
    { name: 'background-bargeIn:gather{inputs=speech}', channel: 0 },
  ])('assigns $name to channel $channel', ({ name, channel }) => {
    const attributes = { 'stt.resolve': 'speech', 'stt.result': result, 'stt.latency_ms': '120,400' }
    const span = { name, from: 1000, until: 5000, attributes }
    const hook = { name: 'verb:hook (https://a.example)', from: 4900, until: 5000, parent: 1 }
    const details = { result: read, unreadable: undefined, resolve: 'speech', latency: 0.4 }
    expect(regionsFrom(span, hook)).toEqual([
      { kind: 'stt', id: spanId(1), channel, start: 1.05, end: 5, details },
      { kind: 'stt-latency', id: `${spanId(1)}latency`, channel, start: 4.5, end: 5, details },
    ])
  })

  test('CALLS-25 have a latency only for speech, and show why recognition ended', () => {
    const listened = (attributes: Planned['attributes'] = {}) =>
      regionsFrom({ name: 'stt-listen:1', from: 1000, until: 5000, attributes }).map(({ kind, details }) => ({
        kind,
        details,
      }))
    const plain = { result: undefined, unreadable: undefined, latency: undefined }
    expect(listened({ 'stt.resolve': 'timeout', 'stt.latency_ms': '300' })).toEqual([
      { kind: 'stt', details: { ...plain, resolve: 'timeout' } },
    ])
    expect(listened()).toEqual([{ kind: 'stt', details: { ...plain, resolve: undefined } }])
    expect(listened({ 'stt.resolve': 'speech', 'stt.result': '{oh', 'stt.latency_ms': '300' })).toEqual([
      { kind: 'stt', details: { ...plain, resolve: 'speech', unreadable: '{oh' } },
    ])
    for (const resolve of ['timeout', 'transcript'])
      expect(listened({ 'stt.resolve': resolve, 'stt.result': result, 'stt.latency_ms': '300' })).toEqual([
        { kind: 'stt', details: { ...plain, resolve, result: read } },
      ])
    expect(listened({ 'stt.resolve': 'speech', 'stt.result': result, 'stt.latency_ms': '300' })[1]?.details).toEqual({
      ...plain,
      resolve: 'speech',
      result: read,
      latency: 0.3,
    })
  })

  test('CALLS-29 detect the end of speech from silence if the trace has no latency', () => {
    const attributes = { 'stt.resolve': 'speech', 'stt.result': result }
    const spans = createTrace([recording, { name: 'stt-listen:1', from: 1000, until: 4000, attributes }])
    const regions = toRegions(spans, (channel, from, until) => {
      expect([channel, from, until]).toEqual([0, 1, 4])
      return soundEnd(sound(2, 1, 10), from, until)
    })
    expect(regions[1]).toMatchObject({ kind: 'stt-latency', end: 4, details: { latency: 0.98 } })
    expect(regions[1]?.start).toBeCloseTo(3.02)
    expect(toRegions(spans, () => undefined)).toHaveLength(1)
  })

  test('use the nested stt-listen span if a gather has no result, and ignore gathers for digits', () => {
    const gather = { name: 'verb:gather{inputs=speech,vendor=google}', from: 0, until: 5000 }
    const digits = { name: 'verb:gather{inputs=digits,vendor=google}', from: 0, until: 5000 }
    const listen = { name: 'stt-listen:1', from: 0, until: 4000, parent: 0 }
    const names = (...planned: Planned[]) => findSpeechSpans(createTrace(planned)).map(({ span }) => span.name)
    expect(names(gather, listen)).toEqual(['stt-listen:1'])
    expect(names(gather)).toEqual([gather.name])
    expect(names(digits)).toEqual([])
    expect(names({ ...digits, attributes: { 'stt.resolve': 'dtmf-num-digits' } })).toEqual([])
    const both = { ...gather, name: 'verb:gather{inputs=speech,digits}' }
    expect(names({ ...both, attributes: { 'stt.resolve': 'dtmf-terminator-key' } })).toEqual([both.name])
  })

  test.each([
    { says: 'uncached', more: {}, end: 3.2, latency: 0.2 },
    { says: 'with its first byte', more: { time_to_first_byte_ms: '80' }, end: 3.08, latency: 0.08 },
    { says: 'of the cache', more: { 'tts.cached': true }, end: undefined, latency: undefined },
  ])('synthesis $says', ({ more, end, latency }) => {
    const attributes = { 'tts.vendor': 'aws', 'tts.language': 'de-DE', 'tts.voice': 'Hans', 'tts.cached': false }
    const allAttributes = { ...attributes, ...(more as Planned['attributes']) }
    const regions = regionsFrom({ name: 'tts-generation', from: 3000, until: 3200, attributes: allAttributes })
    const details = { vendor: 'aws', language: 'de-DE', voice: 'Hans', cached: false, latency }
    expect(regions).toEqual(
      end === undefined ? [] : [{ kind: 'tts', id: spanId(1), channel: 1, start: 3, end, details }],
    )
  })

  test.each([
    { body: '{"reason":"speechDetected"}', is: true },
    { body: '{"reason": "dtmfDetected"}', is: true },
    { body: '{"reason":"timeout"}', is: false },
    { body: 'reason', is: false },
  ])('a webhook request with the body $body has a region: $is', ({ body, is }) => {
    const attributes = { 'http.body': body, 'hook.url': 'https://a.example' }
    const regions = regionsFrom({ name: 'verb:hook', from: 1000, until: 1010, attributes })
    const details = { status: 404, latency: 0.01, url: 'https://a.example', body }
    expect(regions).toEqual(
      is ? [{ kind: 'application', id: spanId(1), channel: 0, start: 1, end: 1.05, details }] : [],
    )
  })
})

describe('transcript', () => {
  const heard = { 'stt.resolve': 'speech', 'stt.result': result }
  const planned: Planned[] = [
    { name: 'verb:say{text=Shall I book it?}', from: 500, until: 2000, attributes: {} },
    { name: 'tts-generation', from: 500, until: 900, parent: 0, attributes: { 'tts.voice': 'Hans' } },
    { name: 'background-bargeIn:gather{inputs=speech}', from: 2000, until: 6000, attributes: heard },
    { name: 'verb:gather{inputs=speech}', from: 2100, until: 6000, attributes: heard },
    { name: 'dtmf:1', from: 6100, until: 6200, attributes: { dtmf: '1', duration: '100ms' } },
    { name: 'verb:say{text=This is the beginni}', from: 7000, until: 9000 },
    { name: 'verb:say', from: 9500, until: 9900, attributes: { text: '<speak>And <b>SSML</b></speak>' } },
  ]

  test('contains the speech of both sides in chronological order, without duplicates', () => {
    const lines = toTranscript(createTrace([...planned, recording]), (_, from) => from + 1)
    expect(transcriptText(lines, 'inbound')).toBe(
      [
        '00:00 Agent: Shall I book it?',
        '00:03 Caller: Yes please.',
        '00:06 Caller: Pressed 1',
        '00:07 Agent: This is the beginni…',
        '00:09 Agent: And SSML',
      ].join('\n'),
    )
    expect(transcriptText(lines, 'outbound')).toContain(
      '00:03 Called party: Yes please.\n00:06 Called party: Pressed 1',
    )
    expect(lines[0]).toMatchObject({ at: 0.9, voice: 'Hans' })
    expect(lines[1]).toMatchObject({ at: 3, confidence: 0.87 })
    expect([0, 0.9, 5, 100].map((seconds) => lineAt(lines, seconds)?.text)).toEqual([
      undefined,
      'Shall I book it?',
      'Yes please.',
      'And SSML',
    ])
  })

  test('tells what was understood of another party from what the platform said', () => {
    const other: Planned = { name: 'stt-listen:2', from: 6300, until: 6900, attributes: heard }
    const lines = toTranscript(createTrace([...planned, other, recording]))
    expect(transcriptText(lines, 'inbound')).toContain('Other side: Yes please.\n00:07 Agent: This is')
  })

  test('has no times without the beginning of the recording, and no lines without speech', () => {
    const lines = toTranscript(createTrace(planned))
    expect(lines.map(({ at }) => at)).toEqual(lines.map(() => undefined))
    expect(transcriptText(lines, 'inbound')).toMatch(/^Agent: Shall I book it\?\nCaller: Yes please\./)
    expect(lineAt(lines, 10)).toBeUndefined()
    expect(toTranscript([])).toEqual([])
  })
})

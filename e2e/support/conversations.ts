import { randomUUID } from 'node:crypto'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { aCall, type WrittenCall, writeCalls } from './calls.ts'

/** Calls of a voice bot whose trace consists of chosen spans. */

export interface ChosenSpan {
  name: string
  /** Milliseconds since the start of the call. */
  from: number
  until: number
  attributes?: Readonly<Record<string, string | number | boolean>>
  /** Position of the parent span. The first span is the root. */
  parent?: number
  /** Error message of a failed span. */
  error?: string
  service?: string
}

interface Intakes {
  intakePort: number
  otlpPort: number
}

interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

const toValue = (value: string | number | boolean) =>
  typeof value === 'string'
    ? { stringValue: value }
    : typeof value === 'number'
      ? { doubleValue: value }
      : { boolValue: value }

const toSpanId = (position: number): string => (position + 1).toString(16).padStart(16, '0')

/**
 * Sends a trace with chosen spans to the OTLP intake, and writes the record of its call.
 * @param createSpans gets the start of the call in Unix seconds
 */
export const writeSpannedCall = async (
  { intakePort, otlpPort }: Intakes,
  owner: CallOwner,
  createSpans: (startedAt: number) => readonly ChosenSpan[],
  more: Partial<WrittenCall> = {},
): Promise<WrittenCall> => {
  const trace_id = randomUUID().replaceAll('-', '')
  // A whole second, because talk spurts are whole seconds.
  const startedAt = Math.floor(Date.now() / 1000) - 120
  const attempted_at = startedAt * 1000
  const call = aCall({ attempted_at, duration: 60, trace_id, ...more })
  const toNanoseconds = (ms: number) => `${attempted_at + ms}000000`
  const toSpan = ({ name, from, until, attributes = {}, parent = 0, error }: ChosenSpan, position: number) => ({
    traceId: trace_id,
    spanId: toSpanId(position),
    ...(position === 0 ? {} : { parentSpanId: toSpanId(parent) }),
    kind: 1,
    name,
    startTimeUnixNano: toNanoseconds(from),
    endTimeUnixNano: toNanoseconds(until),
    attributes: [
      ...(position === 0 ? [['accountSid', owner.account_sid] as const] : []),
      ...Object.entries(attributes),
    ].map(([key, value]) => ({ key, value: toValue(value) })),
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  })
  const all = createSpans(startedAt).map((span, position) => {
    const { service = 'jambonz-feature-server' } = span
    return { service, span: toSpan(span, position) }
  })
  const resourceSpans = [...new Set(all.map(({ service }) => service))].map((service) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans: all.filter((one) => one.service === service).map(({ span }) => span) }],
  }))
  const response = await fetch(`http://127.0.0.1:${otlpPort}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  await writeCalls(intakePort, owner, [call])
  return call
}

const heard = (transcript: string, confidence: number, latencyMs: number) => ({
  'stt.resolve': 'speech',
  'stt.result': JSON.stringify({ alternatives: [{ transcript, confidence }] }),
  'stt.latency_ms': String(latencyMs),
})

const root: ChosenSpan = { name: 'incoming-call', from: 0, until: 60_000 }
const record: ChosenSpan = { name: 'background-record:listen', from: 500, until: 60_000 }

/**
 * A call with a slow response (2.83 s) that is interrupted, a tool call and a failed one, text of low confidence, a fast
 * response (500 ms), a silence of 6 s, a digit, missing input, and a transfer.
 * @param startedAt Unix seconds
 */
export const createEventfulCall = (startedAt: number): readonly ChosenSpan[] => {
  const spans: ChosenSpan[] = [root]
  const add = (span: ChosenSpan): number => spans.push(span) - 1
  const say = (text: string, from: number, until: number, firstByteMs?: number) => {
    const parent = add({ name: `verb:say{text=${text.slice(0, 20)}}`, from, until, attributes: { text } })
    const isCached = firstByteMs === undefined
    const attributes = { 'tts.vendor': 'google', 'tts.voice': 'en-US-C', 'tts.cached': isCached }
    add({
      name: 'tts-generation',
      from,
      until: from + (firstByteMs ?? 0) + 50,
      parent,
      attributes: isCached ? attributes : { ...attributes, time_to_first_byte_ms: String(firstByteMs) },
    })
  }
  add(record)
  say('Welcome to Example Airlines. How can I help you?', 1000, 4200, 150)
  const gather = add({ name: 'verb:gather{inputs=speech}', from: 4250, until: 9250 })
  add({
    name: 'stt-listen:1',
    from: 4300,
    until: 7000,
    parent: gather,
    attributes: heard('I want to fly to Lisbon.', 0.45, 400),
  })
  const hook = add({ name: 'verb:hook (https://bot.example.org)', from: 7010, until: 9200, parent: gather })
  const bot = { parent: hook, service: 'my-bot' }
  add({
    name: 'chat',
    from: 7100,
    until: 8900,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.time_to_first_chunk': 1.5 },
    ...bot,
  })
  const tool = (name: string) => ({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name })
  add({ name: 'tool', from: 7700, until: 7900, attributes: tool('find_flights'), ...bot })
  add({ name: 'tool', from: 7900, until: 8000, attributes: tool('find_fares'), error: 'No fares found', ...bot })
  say('There is a flight at nine fifteen. Shall I book it?', 9310, 12_000, 120)
  add({
    name: 'stt-listen:1',
    from: 9400,
    until: 12_500,
    attributes: { ...heard('Yes please.', 0.93, 300), 'stt.resolve': 'speech-bargein' },
  })
  say('Done. Anything else?', 12_700, 14_000)
  add({
    name: 'stt-listen:1',
    from: 14_100,
    until: 22_000,
    attributes: {
      ...heard('Are you still there?', 0.9, 300),
      'stt.talkspurts': JSON.stringify([[startedAt + 20, startedAt + 21]]),
    },
  })
  add({ name: 'dtmf:5', from: 23_000, until: 23_020, attributes: { dtmf: '5', duration: '120ms' } })
  add({ name: 'verb:gather{inputs=speech}', from: 23_100, until: 28_000, attributes: { 'stt.resolve': 'timeout' } })
  add({ name: 'verb:dial{target=phone}', from: 30_000, until: 50_000, attributes: { 'verb.summary': 'dial{+4420}' } })
  return spans
}

/** A call of two hours with this number of turns, in which agent and caller alternate. */
export const createLongCall = (turns: number): readonly ChosenSpan[] => {
  const everyMs = Math.floor(7_200_000 / turns)
  return [
    { ...root, until: 7_200_000 },
    ...Array.from({ length: turns }, (_, position): ChosenSpan => {
      const from = 1000 + position * everyMs
      const text = `Sentence number ${position + 1} of a long conversation.`
      return position % 2 === 0
        ? {
            name: 'verb:say{text=Sentence}',
            from,
            until: from + 2000,
            attributes: { text, time_to_first_byte_ms: '90' },
          }
        : { name: 'stt-listen:1', from, until: from + 2500, attributes: heard(text, 0.9, 250) }
    }),
  ]
}

/** Stores a recording, by default 30 seconds with a tone on each channel. Returns the path and the SID of its call. */
export const storeRecording = async (url: string, account_sid: string, audio = tones([440, 880], 30)) => {
  const recorder = await startRecording({ url: url.replace('http', 'ws'), account_sid })
  await recorder.say(audio)
  await recorder.hangUp()
  const { call_sid } = recorder
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  return { call_sid, recording_url: `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day}/mp3` }
}

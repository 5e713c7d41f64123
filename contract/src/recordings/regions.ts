import { attribute, asArray, asRecord, type Span, asString } from '../shared/traces.ts'

/** What a trace tells of places in the recording of its call (api/4-calls-and-hosted.md §2.2, §6.3). Pure. */

type Channel = 0 | 1

/** Seconds from the beginning of the recording. */
interface Stretch {
  id: string
  channel: Channel
  start: number
  end: number
}

/** What a vendor understood. */
export interface SpeechResult {
  vendor?: string
  transcript?: string
  confidence?: number
  language_code?: string
}

export interface SpeechDetails {
  /** undefined where there is none */
  result: SpeechResult | undefined
  /** what stands in place of a result and cannot be read */
  unreadable: string | undefined
  /** why it ended: `speech` or `timeout`, and what other writers say */
  resolve: string | undefined
  /** seconds from the end of the speech to its result */
  latency: number | undefined
}

export type Region = Stretch &
  (
    | { kind: 'stt' | 'stt-latency'; details: SpeechDetails }
    | { kind: 'dtmf'; details: { digit: string; duration: string } }
    | {
        kind: 'tts'
        details: { vendor: string; language: string; voice: string; cached: boolean; latency: number }
      }
    | { kind: 'application'; details: { status: number; latency: number; url: string; body: string } }
  )

/** An instant that is found by listening to a channel between two others. */
export type Hear = (channel: Channel, from: number, until: number) => number | undefined

const secondsOf = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9

const textAttribute = (span: Span, name: string): string => {
  const value = attribute(span, name)
  return value === undefined ? '' : String(value)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/**
 * What `stt.result` says: JSON with `vendor.name`, `alternatives` and `language_code`; undefined where it is not of that
 * kind. The vendor may be named without `name`, and of several results the last is the whole.
 */
export const parseSpeechResult = (text: string): SpeechResult | undefined => {
  const given = parsed(text)
  const result = asRecord(Array.isArray(given) ? given.at(-1) : given)
  const { vendor, alternatives, language_code } = result
  const [best] = asArray(alternatives).map(asRecord)
  const vendorName = asString(asRecord(vendor)['name']) || asString(vendor)
  const transcript = asString(best?.['transcript'])
  const confidence = numberOf(best?.['confidence'])
  const found = {
    ...(vendorName && { vendor: vendorName }),
    ...(transcript && { transcript }),
    ...(confidence !== undefined && { confidence }),
    ...(asString(language_code) && { language_code: asString(language_code) }),
  }
  return Object.keys(found).length > 0 || Array.isArray(alternatives) ? found : undefined
}

/** Milliseconds, of which a list has the last; undefined where there are none. */
export const lastMilliseconds = (value: unknown): number | undefined => {
  const number = Number(String(value).split(',').at(-1))
  return value === undefined || !Number.isFinite(number) || number <= 0 ? undefined : number
}

/** `120ms` as platforms write it, seconds where it says so, and plain numbers are milliseconds. */
const dtmfSeconds = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/i.exec(text.trim()) ?? []
  return Number(digits) / (unit.toLowerCase() === 's' ? 1 : 1000)
}

/** The span with which a recording begins. */
export const findRecordSpan = (spans: readonly Span[]): Span | undefined =>
  spans.find(({ name }) => name === 'background-record:listen')

const isHook = ({ name }: Span): boolean => name.startsWith('verb:hook')

const isGather = ({ name }: Span): boolean => name.includes(':gather{')

/** 0 of a gather, n - 1 of `stt-listen:{n}`; undefined of what recognises no speech. */
const speechChannelOf = (span: Span): Channel | undefined => {
  const [, listened] = /^stt-listen:(\d+)/.exec(span.name) ?? []
  if (listened !== undefined) return Number(listened) > 1 ? 1 : 0
  return isGather(span) ? 0 : undefined
}

const listensForSpeech = ({ name }: Span): boolean => {
  const [, inputs] = /inputs=([^{}=]*?)(?:,\w+=|\}|$)/.exec(name) ?? []
  return inputs === undefined || inputs.includes('speech')
}

interface HeardSpan {
  span: Span
  channel: Channel
}

/** The spans that recognise speech, each once: a gather that tells nothing itself leaves it to what it contains. */
export const findSpeechSpans = (spans: readonly Span[]): HeardSpan[] => {
  const listening = new Set(spans.filter(({ name }) => name.startsWith('stt-listen:')).map(({ parent }) => parent))
  return spans.flatMap((span) => {
    const channel = speechChannelOf(span)
    if (channel === undefined) return []
    const tells = span.attributes.some(({ key }) => key === 'stt.result' || key === 'stt.resolve')
    const isTold = !isGather(span) || tells || (listensForSpeech(span) && !listening.has(span.id))
    return isTold ? [{ span, channel }] : []
  })
}

/** Instants in a recording, of what begins before it 0. */
export const createRecordingClock =
  (record: Span) =>
  (nanoseconds: bigint): number =>
    Math.max(0, secondsOf(nanoseconds - record.start))

/** No result is made before this. */
const listenSeconds = 0.05
const shortestDtmf = 0.1
const shortestHook = 0.05

const twoDecimals = (seconds: number): number => Math.round(seconds * 100) / 100

const speechRegions = (
  { span, channel }: HeardSpan,
  { start, end }: Pick<Stretch, 'start' | 'end'>,
  hookSeconds: number,
  soundEnd: Hear | undefined,
): Region[] => {
  const text = textAttribute(span, 'stt.result')
  const result = text === '' ? undefined : parseSpeechResult(text)
  const resolve = textAttribute(span, 'stt.resolve') || undefined
  const told = lastMilliseconds(attribute(span, 'stt.latency_ms'))
  const endOfSpeech =
    told === undefined ? soundEnd?.(channel, start, end) : Math.max(start, end - told / 1000 - hookSeconds)
  const hasLatency = result !== undefined && resolve === 'speech' && endOfSpeech !== undefined && endOfSpeech > 0
  const latency = !hasLatency
    ? undefined
    : told === undefined
      ? Math.max(0, twoDecimals(end - endOfSpeech - hookSeconds))
      : told / 1000
  const details: SpeechDetails = {
    result,
    unreadable: text !== '' && result === undefined ? text : undefined,
    resolve,
    latency,
  }
  const stretch = { channel, end }
  return [
    { ...stretch, kind: 'stt', id: span.id, start: Math.min(start + listenSeconds, end), details },
    ...(hasLatency
      ? [{ ...stretch, kind: 'stt-latency' as const, id: `${span.id}latency`, start: endOfSpeech, details }]
      : []),
  ]
}

const dtmfRegion = (span: Span, start: number): Region[] => {
  const [digit, duration] = [textAttribute(span, 'dtmf'), textAttribute(span, 'duration')]
  if (!span.name.startsWith('dtmf:') || digit === '' || duration === '') return []
  const channel = Number(attribute(span, 'channel')) > 1 ? 1 : 0
  const end = start + Math.max(shortestDtmf, dtmfSeconds(duration))
  return [{ kind: 'dtmf', id: span.id, channel, start, end, details: { digit, duration } }]
}

/** Whether its speech was kept from another time: then nobody waited for it. */
export const isCached = (span: Span): boolean => String(attribute(span, 'tts.cached')) === 'true'

/** How long it took until something could be heard, seconds. */
export const synthesisSeconds = (span: Span): number => {
  const first = lastMilliseconds(attribute(span, 'time_to_first_byte_ms'))
  return first === undefined ? secondsOf(span.end - span.start) : first / 1000
}

const synthesisRegion = (span: Span, start: number): Region[] => {
  const vendor = textAttribute(span, 'tts.vendor')
  const cached = isCached(span)
  if (span.name !== 'tts-generation' || cached || vendor === '') return []
  const latency = synthesisSeconds(span)
  const [language, voice] = [textAttribute(span, 'tts.language'), textAttribute(span, 'tts.voice')]
  const details = { vendor, language, voice, cached, latency }
  return [{ kind: 'tts', id: span.id, channel: 1, start, end: start + latency, details }]
}

const hookRegion = (span: Span, start: number): Region[] => {
  const body = textAttribute(span, 'http.body')
  if (!isHook(span) || !/"reason"\s*:\s*"(?:speech|dtmf)Detected"/.test(body)) return []
  const latency = secondsOf(span.end - span.start)
  const status = numberOf(attribute(span, 'http.statusCode')) ?? 404
  const details = { status, latency, url: textAttribute(span, 'hook.url'), body }
  return [
    { kind: 'application', id: span.id, channel: 0, start, end: start + Math.max(shortestHook, latency), details },
  ]
}

/**
 * The regions of a recording, the earliest first, each as it is told on a click. A trace that does not say when the
 * recording began has none. `soundEnd` finds the end of speech where no latency is written down.
 */
export const toRegions = (all: readonly Span[], soundEnd?: Hear): Region[] => {
  const record = findRecordSpan(all)
  if (record === undefined) return []
  const at = createRecordingClock(record)
  const spans = all.filter(({ end }) => end >= record.start)
  const hooks = new Map(
    spans.filter(isHook).map(({ parent, start, end }): [string | null, number] => [parent, secondsOf(end - start)]),
  )
  const speech = findSpeechSpans(spans).flatMap((heard) => {
    const { id, start, end } = heard.span
    return speechRegions(heard, { start: at(start), end: at(end) }, hooks.get(id) ?? 0, soundEnd)
  })
  const others = spans.flatMap((span) =>
    [dtmfRegion, synthesisRegion, hookRegion].flatMap((region) => region(span, at(span.start))),
  )
  return [...speech, ...others].toSorted((a, b) => a.start - b.start || a.end - b.end)
}

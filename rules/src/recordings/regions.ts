import { asArray, asRecord, asString, attribute, lastMilliseconds, type Span } from '../traces/traces.ts'

/**
 * Derives the regions of a recording from the spans of the call's trace
 * (docs/reference/platform-api/recordings.md#player). Pure.
 */

type Channel = 0 | 1

/** Positions are seconds from the beginning of the recording. */
interface TimeRange {
  id: string
  channel: Channel
  start: number
  end: number
}

/** Result of a speech recognition. */
export interface SpeechResult {
  vendor?: string
  transcript?: string
  confidence?: number
  language_code?: string
}

export interface SpeechDetails {
  /** Undefined if the recognition has no result. */
  result: SpeechResult | undefined
  /** The result's text if it cannot be parsed. */
  unreadable: string | undefined
  /** Why the recognition ended: `speech`, `timeout`, or a value of another component. */
  resolve: string | undefined
  /** Seconds from the end of the speech to the result. */
  latency: number | undefined
}

export type Region = TimeRange &
  (
    | { kind: 'stt' | 'stt-latency'; details: SpeechDetails }
    | { kind: 'dtmf'; details: { digit: string; duration: string } }
    | {
        kind: 'tts'
        details: { vendor: string; language: string; voice: string; cached: boolean; latency: number }
      }
    | { kind: 'application'; details: { status: number; latency: number; url: string; body: string } }
  )

/** Finds the beginning or end of a sound in a part of a channel. */
export type FindSoundEdge = (channel: Channel, from: number, until: number) => number | undefined

const toSeconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9

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

const toNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/**
 * Parses `stt.result`: JSON with `vendor.name`, `alternatives`, and `language_code`. Returns undefined for other texts.
 * Also accepts a plain string as vendor. If there are several results, the last one is complete.
 */
export const parseSpeechResult = (text: string): SpeechResult | undefined => {
  const parsedJson = parsed(text)
  const result = asRecord(Array.isArray(parsedJson) ? parsedJson.at(-1) : parsedJson)
  const { vendor, alternatives, language_code } = result
  const [best] = asArray(alternatives).map(asRecord)
  const vendorName = asString(asRecord(vendor)['name']) || asString(vendor)
  const transcript = asString(best?.['transcript'])
  const confidence = toNumber(best?.['confidence'])
  const speechResult = {
    ...(vendorName && { vendor: vendorName }),
    ...(transcript && { transcript }),
    ...(confidence !== undefined && { confidence }),
    ...(asString(language_code) && { language_code: asString(language_code) }),
  }
  return Object.keys(speechResult).length > 0 || Array.isArray(alternatives) ? speechResult : undefined
}

/** Parses a duration such as `120ms` or `1s` to milliseconds, which are also the unit of numbers without one. */
export const parseDurationMs = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/i.exec(text.trim()) ?? []
  return Number(digits) * (unit.toLowerCase() === 's' ? 1000 : 1)
}

/** Finds the span that marks the beginning of the recording. */
export const findRecordSpan = (spans: readonly Span[]): Span | undefined =>
  spans.find(({ name }) => name === 'background-record:listen')

const isHook = ({ name }: Span): boolean => name.startsWith('verb:hook')

const isGather = ({ name }: Span): boolean => name.includes(':gather{')

/**
 * Returns channel 0 for a gather and n - 1 for `stt-listen:{n}`, or undefined if the span does not recognize speech.
 */
const getSpeechChannel = (span: Span): Channel | undefined => {
  const [, track] = /^stt-listen:(\d+)/.exec(span.name) ?? []
  if (track !== undefined) return Number(track) > 1 ? 1 : 0
  return isGather(span) ? 0 : undefined
}

const listensForSpeech = ({ name }: Span): boolean => {
  const [, inputs] = /inputs=([^{}=]*?)(?:,\w+=|\}|$)/.exec(name) ?? []
  return inputs === undefined || inputs.includes('speech')
}

interface SpeechSpan {
  span: Span
  channel: Channel
}

/**
 * Returns the spans that recognize speech, without duplicates: a gather without a result is omitted if a nested span
 * listens.
 */
export const findSpeechSpans = (spans: readonly Span[]): SpeechSpan[] => {
  const listening = new Set(spans.filter(({ name }) => name.startsWith('stt-listen:')).map(({ parent }) => parent))
  return spans.flatMap((span) => {
    const channel = getSpeechChannel(span)
    if (channel === undefined) return []
    const hasOutcome = span.attributes.some(({ key }) => key === 'stt.result' || key === 'stt.resolve')
    // A gather for keys also says how it ended.
    const isSpeech = listensForSpeech(span) || attribute(span, 'stt.result') !== undefined
    const isIncluded = !isGather(span) || (isSpeech && (hasOutcome || !listening.has(span.id)))
    return isIncluded ? [{ span, channel }] : []
  })
}

/** Returns a function that converts nanoseconds to a position in the recording. Earlier instants become 0. */
export const createRecordingClock =
  (record: Span) =>
  (nanoseconds: bigint): number =>
    Math.max(0, toSeconds(nanoseconds - record.start))

/** Recognition results are never earlier than this. */
const minListenSeconds = 0.05
const minDtmfSeconds = 0.1
const minHookSeconds = 0.05

const twoDecimals = (seconds: number): number => Math.round(seconds * 100) / 100

const speechRegions = (
  { span, channel }: SpeechSpan,
  { start, end }: Pick<TimeRange, 'start' | 'end'>,
  hookSeconds: number,
  soundEnd: FindSoundEdge | undefined,
): Region[] => {
  const text = textAttribute(span, 'stt.result')
  const result = text === '' ? undefined : parseSpeechResult(text)
  const resolve = textAttribute(span, 'stt.resolve') || undefined
  const latencyMs = lastMilliseconds(attribute(span, 'stt.latency_ms'))
  const endOfSpeech =
    latencyMs === undefined ? soundEnd?.(channel, start, end) : Math.max(start, end - latencyMs / 1000 - hookSeconds)
  const hasLatency = result !== undefined && resolve === 'speech' && endOfSpeech !== undefined && endOfSpeech > 0
  const latency = !hasLatency
    ? undefined
    : latencyMs === undefined
      ? Math.max(0, twoDecimals(end - endOfSpeech - hookSeconds))
      : latencyMs / 1000
  const details: SpeechDetails = {
    result,
    unreadable: text !== '' && result === undefined ? text : undefined,
    resolve,
    latency,
  }
  const stretch = { channel, end }
  return [
    { ...stretch, kind: 'stt', id: span.id, start: Math.min(start + minListenSeconds, end), details },
    ...(hasLatency
      ? [{ ...stretch, kind: 'stt-latency' as const, id: `${span.id}latency`, start: endOfSpeech, details }]
      : []),
  ]
}

const dtmfRegion = (span: Span, start: number): Region[] => {
  const [digit, duration] = [textAttribute(span, 'dtmf'), textAttribute(span, 'duration')]
  if (!span.name.startsWith('dtmf:') || digit === '' || duration === '') return []
  const channel = Number(attribute(span, 'channel')) > 1 ? 1 : 0
  const end = start + Math.max(minDtmfSeconds, parseDurationMs(duration) / 1000)
  return [{ kind: 'dtmf', id: span.id, channel, start, end, details: { digit, duration } }]
}

/** Returns whether the audio comes from the cache, so that the synthesis caused no latency. */
export const isCached = (span: Span): boolean => String(attribute(span, 'tts.cached')) === 'true'

/** Returns the seconds from the request to the first audio. */
export const synthesisSeconds = (span: Span): number => {
  const first = lastMilliseconds(attribute(span, 'time_to_first_byte_ms'))
  return first === undefined ? toSeconds(span.end - span.start) : first / 1000
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
  const latency = toSeconds(span.end - span.start)
  const status = toNumber(attribute(span, 'http.statusCode')) ?? 404
  const details = { status, latency, url: textAttribute(span, 'hook.url'), body }
  return [
    { kind: 'application', id: span.id, channel: 0, start, end: start + Math.max(minHookSeconds, latency), details },
  ]
}

/**
 * Returns the regions of a recording in chronological order, with the details for their popovers. Returns no regions if
 * the trace does not contain the beginning of the recording. `soundEnd` finds the end of speech if a span has no
 * latency.
 */
export const toRegions = (all: readonly Span[], soundEnd?: FindSoundEdge): Region[] => {
  const record = findRecordSpan(all)
  if (record === undefined) return []
  const at = createRecordingClock(record)
  const spans = all.filter(({ end }) => end >= record.start)
  const hooks = new Map(
    spans.filter(isHook).map(({ parent, start, end }): [string | null, number] => [parent, toSeconds(end - start)]),
  )
  const speech = findSpeechSpans(spans).flatMap((speechSpan) => {
    const { id, start, end } = speechSpan.span
    return speechRegions(speechSpan, { start: at(start), end: at(end) }, hooks.get(id) ?? 0, soundEnd)
  })
  const others = spans.flatMap((span) =>
    [dtmfRegion, synthesisRegion, hookRegion].flatMap((region) => region(span, at(span.start))),
  )
  return [...speech, ...others].toSorted((a, b) => a.start - b.start || a.end - b.end)
}

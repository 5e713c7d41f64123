import { formatClock } from '@patchbay/contract/shared/durations'
import { groupBy } from '../lib/groups.ts'
import { attribute, type Span } from '../traces/traces.ts'
import {
  createRecordingClock,
  type FindSoundEdge,
  findRecordSpan,
  findSpeechSpans,
  isCached,
  parseSpeechResult,
  synthesisSeconds,
} from './regions.ts'
import { getWhoLabel, type Who } from './speaker-names.ts'

/** Derives the transcript of a call from the spans of its trace. Pure. */

export interface TranscriptLine {
  id: string
  who: Who
  /**
   * Seconds from the beginning of the recording. Undefined if the trace does not contain the beginning of the
   * recording.
   */
  at: number | undefined
  text: string
  /** Confidence of the speech recognition, from 0 to 1. */
  confidence?: number
  /** Voice of the speech synthesis. */
  voice?: string
}

interface Utterance extends Omit<TranscriptLine, 'at'> {
  start: bigint
  /**
   * Channel and end of recognized speech, and when its text was there. The speech starts at an unknown instant after
   * `start`.
   */
  recognition?: { channel: 0 | 1; end: bigint; transcribed: bigint }
}

const nanoseconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9))

/** Returns whether a recognition ended with speech, whose text can be missing: exporters cut long attributes. */
const endedWithSpeech = (span: Span): boolean => String(attribute(span, 'stt.resolve') ?? '').startsWith('speech')

/** Two recognitions of the same speech have its text at times that differ by at most this. */
const maxTranscriptDifference = nanoseconds(2)

/** Returns the start of the first request to a webhook below each span. */
const findHookStarts = (spans: readonly Span[]): ReadonlyMap<string, bigint> => {
  const starts = new Map<string, bigint>()
  for (const { name, parent, start } of spans)
    if (name.startsWith('verb:hook') && parent !== null && !starts.has(parent)) starts.set(parent, start)
  return starts
}

/** Returns what speech recognition has understood, in the order of the spans. The text is empty if no span contains it. */
export const findRecognizedSpeech = (spans: readonly Span[]): Utterance[] => {
  const utterances: Utterance[] = []
  const hookStarts = findHookStarts(spans)
  const latest = new Map<string, { end: bigint; transcribed: bigint }>()
  for (const { span, channel } of findSpeechSpans(spans)) {
    const { transcript: text = '', confidence } = parseSpeechResult(String(attribute(span, 'stt.result') ?? '')) ?? {}
    const transcript = text.trim()
    if (transcript === '' && !endedWithSpeech(span)) continue
    const { start, end, id } = span
    // The webhook gets the transcript, so a span that contains its request ends later than the recognition.
    const hookStart = hookStarts.get(id)
    const transcribed = hookStart !== undefined && hookStart < end ? hookStart : end
    // A gather that allows barge-in recognizes the same speech as the background gather.
    const key = `${channel} ${transcript}`
    const before = latest.get(key)
    const difference = before === undefined ? 0n : transcribed - before.transcribed
    const isSame = difference <= maxTranscriptDifference && -difference <= maxTranscriptDifference
    if (before !== undefined && before.end > start && isSame) continue
    latest.set(key, { end, transcribed })
    utterances.push({
      id,
      who: channel === 0 ? 'caller' : 'other_side',
      start,
      text: transcript,
      recognition: { channel, end, transcribed },
      ...(confidence ? { confidence } : {}),
    })
  }
  return utterances
}

const findPressedDigits = (spans: readonly Span[]): Utterance[] =>
  spans.flatMap((span) => {
    const digit = attribute(span, 'dtmf')
    return span.name.startsWith('dtmf:') && digit !== undefined
      ? [{ id: span.id, who: 'caller', start: span.start, text: `Pressed ${digit}` }]
      : []
  })

/** Matches say verbs, including those that another verb starts. */
const isSay = ({ name }: Span): boolean => /(?:^|:)say(?:\{|$)|^(?:verb|nested|whisper):say streaming/.test(name)

/** The platform cuts longer texts in summaries. */
const maxSummaryLength = 15

/** Verb summaries contain only the beginning of long texts, and only the first of several. */
const summaryText = (summary: string, hasOneText: boolean): string => {
  const [, inner = ''] = /say\{(?:text=)?([\s\S]*?)\}?$/.exec(summary) ?? []
  const isWhole = hasOneText && inner.length <= maxSummaryLength
  return isWhole || inner === '' || /[.!?…]$/.test(inner) ? inner : `${inner}…`
}

/** Returns whether a text can be the beginning of what was said: one that the platform has cut ends so. */
export const isCutText = (text: string): boolean => /(?:\.{3}|…)$/.test(text)

/** Removes the tags of SSML, and those of agents for their voice, which are not spoken: `<expr type="happy"/>`. */
export const removeMarkup = (text: string): string =>
  text
    .replaceAll(/<[/?!]?[a-z-][^<>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const getSayText = (span: Span, generations: readonly Span[]): string => {
  const whole = attribute(span, 'text') ?? attribute(span, 'tts.text')
  const summary = String(attribute(span, 'verb.summary') ?? span.name)
  const text = whole === undefined ? summaryText(summary, generations.length === 1) : String(whole)
  return removeMarkup(text)
}

/** Attributes that prove a synthesis. */
const synthesisAttributes = ['tts.vendor', 'tts.cached', 'time_to_first_byte_ms'] as const

/** Returns the requests for synthesis by the ID of their verb: one for each of its texts, and for each further vendor. */
export const groupGenerations = (spans: readonly Span[]): ReadonlyMap<string | null, readonly Span[]> =>
  groupBy(
    spans.filter(({ name }) => name === 'tts-generation'),
    ({ parent }) => parent,
  )

/** Returns the first request that returned audio. The platform ends those that failed without saying whether they were cached. */
export const findGeneration = (generations: readonly Span[] = []): Span | undefined =>
  generations.find((span) => attribute(span, 'tts.cached') !== undefined) ?? generations[0]

/** A verb that ends earlier after its synthesis has played no word: the synthesis failed, or the verb was stopped. */
const minAudible = 50_000_000n

/**
 * Returns what the platform has said. An utterance begins when its audio is available: when the request for synthesis has
 * returned its first byte.
 */
export const findSynthesizedSpeech = (spans: readonly Span[]): Utterance[] => {
  const groups = groupGenerations(spans)
  return spans.filter(isSay).flatMap((say) => {
    const generations = groups.get(say.id) ?? []
    const generation = findGeneration(generations)
    const voice = generation && attribute(generation, 'tts.voice')
    const text = getSayText(say, generations)
    const start =
      generation === undefined
        ? say.start
        : generation.start + (isCached(generation) ? 0n : nanoseconds(synthesisSeconds(generation)))
    // A streaming synthesis has no span of its own: the verb has its attributes.
    const isSynthesized =
      generation !== undefined || synthesisAttributes.some((name) => attribute(say, name) !== undefined)
    const isInaudible = generation !== undefined && say.end - start < minAudible
    return isInaudible || (text === '' && !isSynthesized)
      ? []
      : [{ id: say.id, who: 'platform', start, text, ...(voice === undefined ? {} : { voice: String(voice) }) }]
  })
}

/**
 * Returns the transcript in chronological order. `soundBegin` finds the beginning of recognized speech in the
 * recording.
 */
export const toTranscript = (spans: readonly Span[], soundBegin?: FindSoundEdge): TranscriptLine[] => {
  const record = findRecordSpan(spans)
  const clock = record && createRecordingClock(record)
  const getPosition = ({ start, recognition }: Utterance): number | undefined => {
    const at = clock?.(start)
    if (clock === undefined || at === undefined || recognition === undefined) return at
    return soundBegin?.(recognition.channel, at, clock(recognition.end)) ?? at
  }
  return [...findRecognizedSpeech(spans), ...findPressedDigits(spans), ...findSynthesizedSpeech(spans)]
    .map((utterance) => ({ utterance, at: getPosition(utterance) }))
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0) || Number(a.utterance.start - b.utterance.start))
    .map(({ utterance: { start: _start, recognition: _recognition, ...line }, at }) => ({ ...line, at }))
}

/** Returns the text of a line, or a placeholder if the trace contains only its voice. */
export const lineText = ({ text }: TranscriptLine): string => text || '(speech without text)'

/** Returns the transcript of a call as plain text, one line per utterance. */
export const transcriptText = (lines: readonly TranscriptLine[], direction: string | null | undefined): string =>
  lines
    .map(
      (line) =>
        `${line.at === undefined ? '' : `${formatClock(line.at)} `}${getWhoLabel(line.who, direction)}: ${lineText(line)}`,
    )
    .join('\n')

/** Returns the line at a playback position: the last one that has started. */
export const lineAt = (lines: readonly TranscriptLine[], seconds: number): TranscriptLine | undefined =>
  lines.findLast(({ at }) => at !== undefined && at <= seconds)

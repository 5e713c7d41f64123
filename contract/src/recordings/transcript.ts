import { formatMinutesSeconds } from './recordings.ts'
import {
  createRecordingClock,
  type Hear,
  isCached,
  findRecordSpan,
  parseSpeechResult,
  findSpeechSpans,
  synthesisSeconds,
} from './regions.ts'
import { attribute, type Span } from '../shared/traces.ts'

/** Who said what in a call, and when, as its trace tells it. Pure. */

export interface TranscriptLine {
  id: string
  who: 'caller' | 'platform'
  /** seconds from the beginning of the recording; undefined where the trace does not say when that was */
  at: number | undefined
  text: string
  /** of the recognition, from 0 to 1 */
  confidence?: number
  /** of the synthesis */
  voice?: string
}

interface Said extends Omit<TranscriptLine, 'at'> {
  start: bigint
  /** of speech that was recognised, in which it begins somewhere */
  listened?: { channel: 0 | 1; end: bigint }
}

const nanoseconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9))

const heardOf = (spans: readonly Span[]): Said[] => {
  const told: Said[] = []
  for (const { span, channel } of findSpeechSpans(spans)) {
    const { transcript = '', confidence } = parseSpeechResult(String(attribute(span, 'stt.result') ?? '')) ?? {}
    if (transcript.trim() === '') continue
    const { start, end, id } = span
    // A gather that lets itself be interrupted hears the same as the one in the background.
    const isTold = told.some(({ text, listened }) => text === transcript && listened && listened.end >= start)
    if (isTold) continue
    told.push({
      id,
      who: channel === 0 ? 'caller' : 'platform',
      start,
      text: transcript,
      listened: { channel, end },
      ...(confidence ? { confidence } : {}),
    })
  }
  return told
}

const pressedOf = (spans: readonly Span[]): Said[] =>
  spans.flatMap((span) => {
    const digit = attribute(span, 'dtmf')
    return span.name.startsWith('dtmf:') && digit !== undefined
      ? [{ id: span.id, who: 'caller', start: span.start, text: `Pressed ${digit}` }]
      : []
  })

/** A verb that says something, whoever started it. */
const isSay = ({ name }: Span): boolean => /(?:^|:)say(?:\{|$)/.test(name)

/** Of texts, summaries have the beginning. */
const summaryText = (summary: string): string => {
  const [, inner = ''] = /say\{(?:text=)?([\s\S]*?)\}?$/.exec(summary) ?? []
  return inner === '' || /[.!?…]$/.test(inner) ? inner : `${inner}…`
}

const textOfSay = (span: Span): string => {
  const whole = attribute(span, 'text') ?? attribute(span, 'tts.text')
  const text = whole === undefined ? summaryText(String(attribute(span, 'verb.summary') ?? span.name)) : String(whole)
  // Of SSML what is said.
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const spokenOf = (spans: readonly Span[]): Said[] => {
  const generations = new Map<string | null, Span>()
  for (const span of spans)
    if (span.name === 'tts-generation' && !generations.has(span.parent)) generations.set(span.parent, span)
  return spans.filter(isSay).flatMap((say) => {
    const made = generations.get(say.id)
    const voice = made && attribute(made, 'tts.voice')
    const text = textOfSay(say)
    const start =
      made === undefined ? say.start : made.start + (isCached(made) ? 0n : nanoseconds(synthesisSeconds(made)))
    return text === '' && made === undefined
      ? []
      : [{ id: say.id, who: 'platform', start, text, ...(voice === undefined ? {} : { voice: String(voice) }) }]
  })
}

/** What was said, the earliest first. `soundBegin` finds in the recording where what was recognised begins. */
export const toTranscript = (spans: readonly Span[], soundBegin?: Hear): TranscriptLine[] => {
  const record = findRecordSpan(spans)
  const clock = record && createRecordingClock(record)
  const atOf = ({ start, listened }: Said): number | undefined => {
    const at = clock?.(start)
    if (clock === undefined || at === undefined || listened === undefined) return at
    return soundBegin?.(listened.channel, at, clock(listened.end)) ?? at
  }
  return [...heardOf(spans), ...pressedOf(spans), ...spokenOf(spans)]
    .map((said) => ({ said, at: atOf(said) }))
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0) || Number(a.said.start - b.said.start))
    .map(({ said: { start: _start, listened: _listened, ...line }, at }) => ({ ...line, at }))
}

export const speakerLabels = { caller: 'Caller', platform: 'Platform' } as const

/** A line of which nothing but its voice is known. */
export const lineText = ({ text }: TranscriptLine): string => text || '(speech of which the trace has no text)'

/** To be sent on: a line each. */
export const transcriptText = (lines: readonly TranscriptLine[]): string =>
  lines
    .map(
      (line) =>
        `${line.at === undefined ? '' : `${formatMinutesSeconds(line.at)} `}${speakerLabels[line.who]}: ${lineText(line)}`,
    )
    .join('\n')

/** Which line is being said: the last that has begun. */
export const lineAt = (lines: readonly TranscriptLine[], seconds: number): TranscriptLine | undefined =>
  lines.findLast(({ at }) => at !== undefined && at <= seconds)

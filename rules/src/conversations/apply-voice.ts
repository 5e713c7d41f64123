import type { ConversationEvent, Turn } from '@patchbay/contract/conversations'
import { longSilenceMs } from '@patchbay/contract/shared/durations'
import type { VoiceActivity } from './find-voice.ts'
import { type KnownSounds, toleranceMs, withoutKnownSounds } from './known-sounds.ts'
import { type PlatformTurn, withoutSpan } from './platform-utterances.ts'
import { type GapStep, type Interval, subtract } from './response-gap.ts'
import {
  findOverlapping,
  findRange,
  findSpokenTurns,
  joinPauses,
  maxPauseMs,
  minOverlapMs,
} from './speaker-segmentation.ts'

/** Measures the turns of a call in its recording. Pure. Times are whole milliseconds since the start of the call. */

/** The voices in a recording, and when the recording started. */
export interface RecordedVoice {
  activity: VoiceActivity
  start_ms: number
}

type Side = Turn['speaker']

export const shift = (intervals: readonly Interval[], by: number): Interval[] =>
  intervals.map(({ start, end }) => ({ start: start + by, end: end + by }))

/** The voice of a side, as sorted intervals without overlaps. */
interface Voice {
  intervals: readonly Interval[]
  /** For each interval, the index of the first one without a long pause between them: speech without a cough before. */
  utteranceStarts: readonly number[]
}

const toVoice = (intervals: readonly Interval[]): Voice => {
  const utteranceStarts: number[] = []
  for (const [index, { start }] of intervals.entries()) {
    const isContinued = start - (intervals[index - 1]?.end ?? Number.NEGATIVE_INFINITY) <= maxPauseMs
    utteranceStarts.push(isContinued ? (utteranceStarts[index - 1] ?? index) : index)
  }
  return { intervals, utteranceStarts }
}

const toVoices = ({ caller, agent }: VoiceActivity, start_ms: number): Readonly<Record<Side, Voice>> => ({
  caller: toVoice(shift(caller, start_ms)),
  agent: toVoice(shift(agent, start_ms)),
})

/** Returns the recognition with its duration, if only the recording shows when the speech ended. */
const measureRecognition = (step: GapStep, end: number, transcript_ms: number): GapStep =>
  step.kind === 'speech_to_text' && step.interval === undefined && end <= transcript_ms
    ? { ...step, evidence: 'derived', interval: { start: end, end: transcript_ms } }
    : step

/** Returns when the speech of a turn can be heard. The platform recognizes a turn of the caller while it listens. */
const getWindow = (turn: PlatformTurn): Interval => ({
  start: turn.start_ms - toleranceMs,
  end: (isListenedTo(turn) ? turn.transcript_ms : turn.end_ms) + toleranceMs,
})

/** Returns whether a recognition reports a turn, which has listened before the speech, too. */
const isListenedTo = ({ speaker, isRecognized }: PlatformTurn): boolean => speaker === 'caller' || isRecognized === true

/** Returns a turn with the beginning and the end of its speech in the recording, or unchanged if there is no speech. */
const measureTurn = <T extends PlatformTurn>(turn: T, voices: Readonly<Record<Side, Voice>>): T => {
  const isListened = isListenedTo(turn)
  const window = getWindow(turn)
  const { intervals, utteranceStarts } = voices[turn.speaker]
  const [from, until] = findRange(intervals, window)
  if (from === until) return turn
  const begin = isListened ? Math.max(from, utteranceStarts[until - 1] ?? from) : from
  const [first, last] = [intervals[begin], intervals[until - 1]]
  if (first === undefined || last === undefined) return turn
  const start_ms = Math.max(first.start, window.start)
  const end_ms = Math.min(last.end, window.end)
  const steps = isListened ? turn.steps.map((step) => measureRecognition(step, end_ms, turn.transcript_ms)) : turn.steps
  return { ...turn, start_ms, start_evidence: 'measured', end_ms, end_evidence: 'measured', steps }
}

/** Returns the windows of turns, joined where they overlap. */
const joinWindows = (turns: readonly PlatformTurn[]): Interval[] =>
  joinPauses(
    turns.map(getWindow).toSorted((a, b) => a.start - b.start),
    0,
  )

/** The windows of the turns of a side. Only spans have exact times. */
interface Windows {
  exact: readonly Interval[]
  estimated: readonly Interval[]
}

const findWindows = (turns: readonly PlatformTurn[], side: Side): Windows => {
  const own = turns.filter(({ speaker }) => speaker === side)
  return {
    exact: joinWindows(own.filter(({ span_id }) => span_id !== null)),
    estimated: joinWindows(own.filter(({ span_id }) => span_id === null)),
  }
}

/** Sounds before or after a turn that are shorter belong to it: times of spans have errors. */
const minRestMs = 1000

/** Returns the parts of speech that belong to no turn: all of it, or what was said before and after a turn. */
const findRest = (speech: Interval, { exact, estimated }: Windows, { intervals }: Voice): Interval[] => {
  if (findOverlapping(estimated, speech).length > 0) return []
  const covered = findOverlapping(exact, speech)
  if (covered.length === 0) return [speech]
  return subtract(speech, covered).flatMap((part) => {
    const heard = findOverlapping(intervals, part)
    const [first, last] = [heard[0], heard.at(-1)]
    if (first === undefined || last === undefined) return []
    const rest = { start: Math.max(part.start, first.start), end: Math.min(part.end, last.end) }
    return rest.end - rest.start >= minRestMs ? [rest] : []
  })
}

const toUntranscribed = (speaker: Side, { start, end }: Interval): PlatformTurn => ({
  ...withoutSpan,
  speaker,
  start_ms: start,
  start_evidence: 'measured',
  end_ms: end,
  end_evidence: 'measured',
  text: '',
  transcript_ms: end,
})

export interface HeardTurns<T> {
  turns: (T | PlatformTurn)[]
  /** Short sounds of agreement that no turn contains. */
  backchannels: ConversationEvent[]
}

/**
 * Returns the turns with the times at which they are heard, and turns without a text for speech that was not recognized
 * or that no span describes.
 * @param sounds what is no speech, unless a recognition has understood it
 */
export const applyVoice = <T extends PlatformTurn>(
  turns: readonly T[],
  { activity: whole, start_ms }: RecordedVoice,
  sounds: KnownSounds,
): HeardTurns<T> => {
  const activity = withoutKnownSounds(whole, {
    keys: shift(sounds.keys, -start_ms),
    playback: shift(sounds.playback, -start_ms),
  })
  const voices = toVoices(activity, start_ms)
  const all = toVoices(whole, start_ms)
  const measured = turns.map((turn) => measureTurn(turn, turn.isRecognized === true ? all : voices))
  // Sounds before a turn that a recognition reports are turns of their own, such as music.
  const placed = turns.map((turn, position) => (turn.isRecognized ? (measured[position] ?? turn) : turn))
  const windows = { caller: findWindows(placed, 'caller'), agent: findWindows(placed, 'agent') }
  const untranscribed: PlatformTurn[] = []
  const backchannels: ConversationEvent[] = []
  for (const { speaker, isBackchannel, ...position } of findSpokenTurns(activity)) {
    const speech = { start: position.start + start_ms, end: position.end + start_ms }
    const rest = findRest(speech, windows[speaker], voices[speaker])
    if (!isBackchannel) untranscribed.push(...rest.map((part) => toUntranscribed(speaker, part)))
    else
      for (const { start, end } of rest)
        backchannels.push({
          kind: 'backchannel',
          at_ms: start,
          duration_ms: end - start,
          detail: speaker,
          arguments: null,
          span_id: null,
        })
  }
  return { turns: [...measured, ...untranscribed], backchannels }
}

const isMeasured = ({ start_evidence, end_evidence }: PlatformTurn): boolean =>
  start_evidence === 'measured' && end_evidence === 'measured'

/** Returns whether both turns were measured, so that their overlap is known. */
export const areMeasured = (turn: PlatformTurn, next: PlatformTurn): boolean => isMeasured(turn) && isMeasured(next)

/** The side that interrupts a turn, and the time. */
export type Interruption = Pick<NonNullable<Turn['interruption']>, 'by' | 'at_ms'>

/** A side that speaks on for longer after the other one has stopped was not interrupted. Platforms stop audio late. */
const maxReactionMs = 2000

/** Returns how a later turn interrupts a measured turn: it begins before the end of the turn, which then ends. */
export const findOverlap = (turn: PlatformTurn, later: PlatformTurn): Interruption | null =>
  turn.speaker !== later.speaker &&
  turn.end_ms - later.start_ms >= minOverlapMs &&
  turn.end_ms - later.end_ms <= maxReactionMs
    ? { by: later.speaker, at_ms: later.start_ms }
    : null

/**
 * Returns when both sides are silent for a long time: between two voices, and after the last, until the call ends.
 * @param callEnd milliseconds since the start of the call
 * @param findParts returns the parts of a silence that count
 */
export const findSilences = (
  { activity, start_ms }: RecordedVoice,
  callEnd: number,
  findParts: (silence: Interval) => readonly Interval[],
): ConversationEvent[] => {
  const voices = [...activity.caller, ...activity.agent].toSorted((a, b) => a.start - b.start)
  const silences: ConversationEvent[] = []
  let silentSince: number | undefined
  const last = Math.min(activity.duration_ms, callEnd - start_ms)
  for (const { start, end } of [...voices, { start: last, end: last }]) {
    const silence = { start: (silentSince ?? start) + start_ms, end: start + start_ms }
    for (const part of silence.end - silence.start < longSilenceMs ? [] : findParts(silence)) {
      const duration_ms = part.end - part.start
      if (duration_ms >= longSilenceMs)
        silences.push({ kind: 'silence', at_ms: part.start, duration_ms, detail: '', arguments: null, span_id: null })
    }
    silentSince = Math.max(silentSince ?? 0, end)
  }
  return silences
}

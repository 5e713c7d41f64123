import type { ConversationEvent, MutedRange, Turn } from '@patchbay/contract/conversations'
import { anyMask, cardNumberLabel, maskedDigit, uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import { isCutText } from '../recordings/transcript.ts'
import { type RecordedVoice, shift } from './apply-voice.ts'
import { toleranceMs } from './known-sounds.ts'
import type { PlatformTurn } from './platform-utterances.ts'
import type { Interval } from './response-gap.ts'
import { findOverlapping, joinPauses, maxPauseMs } from './speaker-segmentation.ts'

/**
 * Finds what a muted recording does not contain: the turns with masked text, the digits that were pressed, and the speech
 * without a text, because its content is unknown. Pure. Times are whole milliseconds since the start of the call. No
 * source reports the times of words, so turns are muted as a whole.
 */

type Speaker = Turn['speaker']

/** Audio before and after a muted turn that is muted, too. */
const marginMs = 300
/** Talk spurts have whole seconds. */
const talkSpurtErrorMs = 1000
/** The platform reports a digit when its tone ends, and long tones up to a second late. */
const digitMarginMs = 1000
/** Shorter sounds outside of all turns are ends of words. */
const minUncheckedMs = 200
/** More ranges have only hostile traces. */
const maxRanges = 5000

const speakers: readonly Speaker[] = ['caller', 'agent']

/** The texts that replace card numbers, and those that were not checked. */
const defaultMaskLabels: readonly string[] = [cardNumberLabel, uncheckedLabel]

/**
 * Returns whether a text contains a label. Labels of patterns that were deleted are unknown, so all brackets count in the
 * texts of callers. Texts of agents can contain other brackets, as instructions for their voice.
 */
const isMasked = ({ speaker, text }: Pick<Turn, 'speaker' | 'text'>, labels: readonly string[]): boolean =>
  speaker === 'caller' ? anyMask.test(text) : labels.some((label) => text.includes(label))

const getEnd = ({ end_ms, transcript_ms }: PlatformTurn): number => Math.max(end_ms, transcript_ms)

/**
 * Returns when the speech of a turn can be heard. The times that events of agents report are not exact, so a turn that only
 * they contain takes all of the time between its neighbors.
 */
const getWindow = (turn: PlatformTurn, before: PlatformTurn | undefined, after: PlatformTurn | undefined): Interval => {
  const error = turn.speaker === 'caller' && turn.start_evidence === 'derived' ? talkSpurtErrorMs : 0
  const own = { start: turn.start_ms - error, end: getEnd(turn) }
  if (turn.span_id !== null) return own
  return {
    start: Math.min(own.start, before === undefined ? Number.NEGATIVE_INFINITY : getEnd(before)),
    end: Math.max(own.end, after === undefined ? Number.POSITIVE_INFINITY : after.start_ms),
  }
}

const widen = ({ start, end }: Interval, by: number): Interval => ({ start: start - by, end: end + by })

/** Returns what remains of sorted intervals outside of the covered ones. */
const subtract = (intervals: readonly Interval[], covered: readonly Interval[]): Interval[] => {
  const sorted = covered.toSorted((a, b) => a.start - b.start)
  const remains: Interval[] = []
  let first = 0
  let coveredUntil = Number.NEGATIVE_INFINITY
  for (const { start, end } of intervals) {
    let from = start
    // The covered intervals before this one are not read again.
    for (let cover = sorted[first]; cover !== undefined && cover.start < end; cover = sorted[first]) {
      from = Math.max(from, coveredUntil)
      if (cover.start > from) remains.push({ start: from, end: cover.start })
      coveredUntil = Math.max(coveredUntil, cover.end)
      first += 1
    }
    from = Math.max(from, coveredUntil)
    if (from < end) remains.push({ start: from, end })
  }
  return remains
}

export interface MutingData {
  /** The turns of the platform and the agent, with the times that they report. */
  turns: readonly PlatformTurn[]
  /** The turns of the platform alone. An agent can report a shorter text after an interruption. */
  platformTurns: readonly PlatformTurn[]
  events: readonly ConversationEvent[]
  recorded: RecordedVoice
  /** The labels of patterns, with their brackets. */
  labels: readonly string[]
}

/** Returns the ranges, or undefined if no turn has a text, or if there are too many. */
export const findMutedRanges = ({
  turns,
  platformTurns,
  events,
  recorded,
  labels,
}: MutingData): MutedRange[] | undefined => {
  if (turns.every(({ text }) => text === '')) return undefined
  const recording = { start: recorded.start_ms, end: recorded.start_ms + recorded.activity.duration_ms }
  const all = [...defaultMaskLabels, ...labels]
  const maskedSpans = new Set(platformTurns.flatMap((turn) => (isMasked(turn, all) ? (turn.span_id ?? []) : [])))
  const ranges: MutedRange[] = []
  const add = (speaker: Speaker, reason: MutedRange['reason'], range: Interval): void => {
    const start_ms = Math.max(recording.start, Math.floor(range.start))
    const end_ms = Math.min(recording.end, Math.ceil(range.end))
    if (start_ms < end_ms) ranges.push({ speaker, reason, start_ms, end_ms })
  }
  for (const speaker of speakers) {
    const voice = shift(recorded.activity[speaker], recorded.start_ms)
    const own = turns.filter((turn) => turn.speaker === speaker).toSorted((a, b) => a.start_ms - b.start_ms)
    const checked: Interval[] = []
    for (const [position, turn] of own.entries()) {
      if (turn.text === '') continue
      const window = widen(getWindow(turn, own[position - 1], own[position + 1]), toleranceMs)
      if (isMasked(turn, all) || (turn.span_id !== null && maskedSpans.has(turn.span_id))) {
        // A word that begins or ends outside of the window is muted, too.
        const heard = findOverlapping(voice, window)
        const start = Math.min(window.start, heard[0]?.start ?? window.start)
        const end = Math.max(window.end, heard.at(-1)?.end ?? window.end)
        const range = widen({ start, end }, marginMs)
        checked.push(range)
        add(speaker, 'masked_text', range)
        // The agent can say anything after the part that the platform has written.
      } else if (speaker === 'caller' || !isCutText(turn.text)) checked.push(window)
    }
    const speech = joinPauses(voice, maxPauseMs).map((interval) => widen(interval, marginMs))
    for (const range of subtract(speech, checked))
      if (range.end - range.start >= minUncheckedMs) add(speaker, 'no_text', range)
  }
  for (const { kind, at_ms, duration_ms, detail } of events)
    if (kind === 'dtmf' && detail.includes(maskedDigit))
      // The platform does not report on which side the tone is heard.
      for (const speaker of speakers)
        add(speaker, 'pressed_digits', widen({ start: at_ms, end: at_ms + duration_ms }, digitMarginMs))
  return ranges.length > maxRanges ? undefined : ranges.toSorted((a, b) => a.start_ms - b.start_ms)
}

import type { VoiceActivity } from './find-voice.ts'
import type { Interval } from './response-gap.ts'

/** Finds the turns, interruptions, and response gaps of a call from when its sides speak. Pure. */

/** The speech of one side until the other side takes its turn. Times are milliseconds since the start of the recording. */
export interface SpokenTurn extends Interval {
  speaker: 'caller' | 'agent'
  /** A short sound of agreement while the other side speaks on, such as "uh-huh". */
  isBackchannel: boolean
}

/** A longer pause ends a turn, even if the other side is silent. */
export const maxPauseMs = 3000
/** A backchannel is not longer than this. */
const maxBackchannelMs = 900
/** The other side speaks on for at least this long after a backchannel. */
const minContinuationMs = 700
/** A shorter overlap is an accident of two who begin to speak at the same time. */
export const minOverlapMs = 200

type Segment = Omit<SpokenTurn, 'isBackchannel'>

/** Returns the index of the first interval for which a condition holds, which it does for all later ones too. */
const findFirst = (intervals: readonly Interval[], holds: (interval: Interval) => boolean): number => {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const interval = intervals[middle]
    if (interval !== undefined && holds(interval)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns the indexes of the first interval that overlaps a window, and of the first one after it.
 * @param intervals sorted, without overlaps
 */
export const findRange = (intervals: readonly Interval[], window: Interval): readonly [from: number, until: number] => {
  const from = findFirst(intervals, ({ end }) => end > window.start)
  return [
    from,
    Math.max(
      from,
      findFirst(intervals, ({ start }) => start >= window.end),
    ),
  ]
}

/** Returns the intervals that overlap a window. They are sorted, and do not overlap each other. */
export const findOverlapping = (intervals: readonly Interval[], window: Interval): readonly Interval[] =>
  intervals.slice(...findRange(intervals, window))

/** Returns whether a segment lies within what the other side says. */
const isWithin = (segment: Segment, others: readonly Interval[]): boolean =>
  segment.end - segment.start <= maxBackchannelMs &&
  findOverlapping(others, segment).some(
    (other) => other.start < segment.start && other.end >= segment.end + minContinuationMs,
  )

/** Joins the segments of one side across short pauses. */
export const joinPauses = (intervals: readonly Interval[], maxMs: number): Interval[] => {
  const joined: Interval[] = []
  for (const { start, end } of intervals) {
    const last = joined.at(-1)
    if (last !== undefined && start - last.end <= maxMs) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}

/** Sentences of one side are this close to each other. */
const maxSentencePauseMs = 600

/** Returns the turns in chronological order. */
export const findSpokenTurns = ({ caller, agent }: VoiceActivity): SpokenTurn[] => {
  const speech = { caller: joinPauses(caller, maxSentencePauseMs), agent: joinPauses(agent, maxSentencePauseMs) }
  const segments: SpokenTurn[] = [
    ...speech.caller.map((one): Segment => ({ speaker: 'caller', ...one })),
    ...speech.agent.map((one): Segment => ({ speaker: 'agent', ...one })),
  ]
    .map((segment) => ({
      ...segment,
      isBackchannel: isWithin(segment, segment.speaker === 'caller' ? speech.agent : speech.caller),
    }))
    .toSorted((a, b) => a.start - b.start)
  const turns: SpokenTurn[] = []
  let last: SpokenTurn | undefined
  for (const segment of segments) {
    if (last?.speaker === segment.speaker && !segment.isBackchannel && segment.start - last.end <= maxPauseMs) {
      last.end = Math.max(last.end, segment.end)
      continue
    }
    turns.push(segment)
    if (!segment.isBackchannel) last = segment
  }
  return turns
}

/** Returns when a side begins to speak while the other speaks, which then stops: the caller interrupts, or the agent. */
export const findSpokenInterruptions = (turns: readonly SpokenTurn[]): { by: SpokenTurn['speaker']; at_ms: number }[] =>
  turns
    .filter(({ isBackchannel }) => !isBackchannel)
    .flatMap((turn, position, all) => {
      const before = all[position - 1]
      return before !== undefined && before.speaker !== turn.speaker && before.end - turn.start >= minOverlapMs
        ? [{ by: turn.speaker, at_ms: turn.start }]
        : []
    })

/** Returns the waits of the caller: from the end of a turn of the caller to the beginning of the next of the agent. */
export const findSpokenGaps = (turns: readonly SpokenTurn[]): Interval[] =>
  turns
    .filter(({ isBackchannel }) => !isBackchannel)
    .flatMap((turn, position, all) => {
      const before = all[position - 1]
      return before?.speaker === 'caller' && turn.speaker === 'agent' && turn.start >= before.end
        ? [{ start: before.end, end: turn.start }]
        : []
    })

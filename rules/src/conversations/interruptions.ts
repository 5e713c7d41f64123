import type { BusyRange } from '@patchbay/contract/conversations'
import { areMeasured, findOverlap, type Interruption } from './apply-voice.ts'
import { isExcluded } from './busy-ranges.ts'
import type { MergedTurn } from './merge-agent-events.ts'

/** Finds which turns were interrupted, and when. Pure. */

/** Turns that begin during another one. More are ignored, so that a hostile trace costs a bounded time. */
const maxOverlapping = 20

/** Returns how one of the later turns interrupts a turn with its speech, if both were measured. */
const findMeasuredInterruption = (turn: MergedTurn, later: readonly MergedTurn[]): Interruption | null => {
  for (const other of later) {
    if (other.start_ms >= turn.end_ms) return null
    const overlap = areMeasured(turn, other) ? findOverlap(turn, other) : null
    if (overlap !== null) return overlap
  }
  return null
}

/**
 * Returns how a turn was interrupted: by overlapping speech, as the agent reports it, or as the platform does.
 * @param later the turns after it
 */
const findInterruption = (turn: MergedTurn, later: readonly MergedTurn[]): Interruption | null => {
  const overlap = findMeasuredInterruption(turn, later)
  if (overlap !== null) return overlap
  const [next] = later
  const reportedAt = turn.report?.interruptedAt
  if (reportedAt !== undefined)
    return { by: 'caller', at_ms: Math.min(Math.max(reportedAt, turn.start_ms), turn.end_ms) }
  if (turn.speaker !== 'agent' || next?.speaker !== 'caller' || areMeasured(turn, next)) return null
  if (next.transcript_ms < turn.end_ms) return null
  // An end that is estimated from the length of the text can be after the audio.
  const isPlaced = turn.end_evidence !== 'unknown' && next.start_evidence !== 'unknown'
  const isDuring = isPlaced && next.start_ms > turn.start_ms && next.start_ms < turn.end_ms
  return next.isBargeIn || isDuring ? { by: 'caller', at_ms: isDuring ? next.start_ms : turn.end_ms } : null
}

/** Returns the interruption of each turn, or null, in the order of the turns. */
export const findInterruptions = (
  turns: readonly MergedTurn[],
  busyRanges: readonly BusyRange[],
): (Interruption | null)[] =>
  turns.map((turn, position) => {
    const interruption = findInterruption(turn, turns.slice(position + 1, position + 1 + maxOverlapping))
    const at = { start: interruption?.at_ms ?? 0, end: interruption?.at_ms ?? 0 }
    return interruption === null || isExcluded('interruption', busyRanges, at) ? null : interruption
  })

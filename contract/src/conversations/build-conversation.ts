import type { Conversation, ResponseGap, Turn } from '../conversations.ts'
import type { Span } from '../shared/traces.ts'
import { findPlatformEvents } from './platform-events.ts'
import { findPlatformTurns, type PlatformTurn } from './platform-utterances.ts'
import { type GapStep, splitGap } from './response-gap.ts'

/** Builds the conversation of a call from the spans of its trace. Pure. */

/** Two hours with short turns have about 2,000. More are cut, so that a hostile trace costs a bounded time. */
export const maxTurns = 2000
export const maxEvents = 2000

const nanosecondsPerMs = 1_000_000n

/** Returns the requests to webhooks as steps of the pipeline, in chronological order. */
const findApplicationSteps = (spans: readonly Span[], toMs: (at: bigint) => number): GapStep[] =>
  spans
    .filter(({ name }) => name.startsWith('verb:hook') || name === 'performAppWebhook')
    .map(({ id, start, end }) => ({
      kind: 'application',
      evidence: 'measured',
      interval: { start: toMs(start), end: toMs(end) },
      span_id: id,
    }))

/** Returns how the caller interrupted a turn of the agent: with speech that began during the audio. */
const findInterruption = (agent: PlatformTurn, caller: PlatformTurn | undefined): Turn['interruption'] => {
  if (caller === undefined || caller.transcript_ms < agent.end_ms) return null
  const isDuring =
    caller.start_evidence !== 'unknown' && caller.start_ms > agent.start_ms && caller.start_ms < agent.end_ms
  return caller.isBargeIn || isDuring ? { by: 'caller', at_ms: isDuring ? caller.start_ms : agent.end_ms } : null
}

/** A gap has one or two webhook requests. More are left unattributed. */
const maxStepsPerGap = 20

/** Returns the steps that overlap the gap. The steps are sorted by start. */
const stepsWithin = (steps: readonly GapStep[], start: number, end: number): GapStep[] => {
  const found: GapStep[] = []
  for (const step of steps) {
    const { interval } = step
    if (interval === undefined || interval.end <= start) continue
    if (interval.start >= end || found.length === maxStepsPerGap) break
    found.push(step)
  }
  return found
}

const findGap = (
  caller: PlatformTurn | undefined,
  agent: PlatformTurn,
  applicationSteps: readonly GapStep[],
): ResponseGap | null => {
  if (caller === undefined || agent.start_evidence === 'unknown') return null
  const [start, end] = [caller.end_ms, agent.start_ms]
  if (end < start) return null
  const steps = [...caller.steps, ...stepsWithin(applicationSteps, start, end), ...agent.steps]
  return splitGap({ start, end }, caller.end_evidence === 'unknown' ? 'transcript' : 'end_of_speech', steps)
}

const toTurn = ({ transcript_ms: _transcript, isBargeIn: _bargeIn, steps: _steps, ...turn }: PlatformTurn) => turn

/**
 * Returns the conversation, or undefined if there are no spans.
 * @param spans the spans of a trace in chronological order (`parseSpans`)
 * @param isTraceCut whether the trace has more spans
 */
export const buildConversation = (spans: readonly Span[], isTraceCut: boolean): Conversation | undefined => {
  const [first] = spans
  if (first === undefined) return undefined
  const origin = first.start
  const end = spans.reduce((latest, span) => (span.end > latest ? span.end : latest), origin)
  // Rounding down keeps the order of instants, and sums of durations exact.
  const toMs = (at: bigint): number => Number((at - origin) / nanosecondsPerMs)
  const startedAt = Number(origin / nanosecondsPerMs)
  const all = findPlatformTurns(spans, toMs, startedAt)
  const applicationSteps = findApplicationSteps(spans, toMs)
  const events = findPlatformEvents(spans, toMs)
  const bounded = all.slice(0, maxTurns)
  const turns = bounded.map((turn, position): Turn => {
    if (turn.speaker === 'caller') return { ...toTurn(turn), gap: null, interruption: null }
    const [before, after] = [bounded[position - 1], bounded[position + 1]]
    const gap = findGap(before?.speaker === 'caller' ? before : undefined, turn, applicationSteps)
    const interruption = findInterruption(turn, after?.speaker === 'caller' ? after : undefined)
    return { ...toTurn(turn), gap, interruption }
  })
  return {
    started_at: new Date(startedAt).toISOString(),
    duration_ms: toMs(end),
    turns,
    events: events.slice(0, maxEvents),
    is_cut: isTraceCut || all.length > maxTurns || events.length > maxEvents,
  }
}

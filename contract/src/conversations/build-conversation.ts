import type { Conversation, ResponseGap, Turn } from '../conversations.ts'
import type { Span } from '../shared/traces.ts'
import { findEvents } from './call-events.ts'
import { correctClocks } from './clock-differences.ts'
import { findFrameworkSteps, type FrameworkSteps, placeFrameworkSteps } from './framework-steps.ts'
import { findPlatformTurns, type PlatformTurn } from './platform-utterances.ts'
import { findLastBefore, type GapStep, type Interval, splitGap } from './response-gap.ts'

/** Builds the conversation of a call from the spans of its trace. Pure. */

/** Two hours with short turns have about 2,000. More are cut, so that a hostile trace costs a bounded time. */
export const maxTurns = 2000
const maxEvents = 2000
/** A call has the platform, an application, and an agent framework. */
const maxSources = 20

const nanosecondsPerMs = 1_000_000n

type ApplicationStep = GapStep & { interval: Interval }

const getStart = ({ interval }: ApplicationStep): number => interval.start

/** Returns the requests to webhooks as steps of the pipeline, in chronological order. */
const findApplicationSteps = (spans: readonly Span[], toMs: (at: bigint) => number): ApplicationStep[] =>
  spans
    .filter(({ name }) => name.startsWith('verb:hook') || name === 'performAppWebhook')
    .map(({ id, start, end, service }) => ({
      kind: 'application',
      evidence: 'measured',
      interval: { start: toMs(start), end: toMs(end) },
      source: service ?? null,
      span_id: id,
    }))

/** Returns how the caller interrupted a turn of the agent: with speech that began during the audio. */
const findInterruption = (agent: PlatformTurn, caller: PlatformTurn | undefined): Turn['interruption'] => {
  if (caller === undefined || caller.transcript_ms < agent.end_ms) return null
  const isDuring =
    caller.start_evidence !== 'unknown' && caller.start_ms > agent.start_ms && caller.start_ms < agent.end_ms
  return caller.isBargeIn || isDuring ? { by: 'caller', at_ms: isDuring ? caller.start_ms : agent.end_ms } : null
}

/**
 * Returns the steps of both sources. A framework knows when it has recognized the end of a turn, which the platform
 * reports as one time with the recognition. Other steps are kept, because each instant is counted once.
 */
const mergeSteps = (platform: readonly GapStep[], framework: readonly GapStep[]): GapStep[] => {
  const kinds = new Set(framework.map(({ kind }) => kind))
  const isReplaced = ({ kind, evidence }: GapStep) =>
    kinds.has(kind) && (evidence === 'unknown' || kind === 'speech_to_text')
  return [...platform.filter((step) => !isReplaced(step)), ...framework]
}

interface StepSources {
  application: readonly ApplicationStep[]
  framework: FrameworkSteps
}

const findGap = (
  caller: PlatformTurn | undefined,
  agent: PlatformTurn,
  { application, framework }: StepSources,
): ResponseGap | null => {
  if (caller === undefined || agent.start_evidence === 'unknown') return null
  const [start, end] = [caller.end_ms, agent.start_ms]
  if (end < start) return null
  const requests = findLastBefore(application, getStart, end).filter(({ interval }) => interval.end > start)
  const platformSteps = [...caller.steps, ...requests, ...agent.steps]
  const steps = mergeSteps(platformSteps, placeFrameworkSteps(framework, { start, end }))
  return splitGap({ start, end }, caller.end_evidence === 'unknown' ? 'transcript' : 'end_of_speech', steps)
}

const toTurn = ({ transcript_ms: _transcript, isBargeIn: _bargeIn, steps: _steps, ...turn }: PlatformTurn) => turn

/** The data from which a conversation is derived. */
export interface ConversationData {
  /** The spans of the call's trace in chronological order (`parseSpans`). */
  spans: readonly Span[]
  /** Whether the trace has more spans. */
  isTraceCut: boolean
}

/** Returns the conversation, or undefined if there is no data. */
export const buildConversation = ({ spans: traceSpans, isTraceCut }: ConversationData): Conversation | undefined => {
  const { spans, sources } = correctClocks(traceSpans)
  const [first] = spans
  if (first === undefined) return undefined
  const origin = first.start
  const end = spans.reduce((latest, span) => (span.end > latest ? span.end : latest), origin)
  // Rounding down keeps the order of instants, and sums of durations exact.
  const toMs = (at: bigint): number => Number((at - origin) / nanosecondsPerMs)
  const startedAt = Number(origin / nanosecondsPerMs)
  const all = findPlatformTurns(spans, toMs, startedAt)
  const stepSources = { application: findApplicationSteps(spans, toMs), framework: findFrameworkSteps(spans, toMs) }
  const events = findEvents(spans, toMs)
  const bounded = all.slice(0, maxTurns)
  const turns = bounded.map((turn, position): Turn => {
    if (turn.speaker === 'caller') return { ...toTurn(turn), gap: null, interruption: null }
    const [before, after] = [bounded[position - 1], bounded[position + 1]]
    const gap = findGap(before?.speaker === 'caller' ? before : undefined, turn, stepSources)
    const interruption = findInterruption(turn, after?.speaker === 'caller' ? after : undefined)
    return { ...toTurn(turn), gap, interruption }
  })
  return {
    started_at: new Date(startedAt).toISOString(),
    duration_ms: toMs(end),
    sources: sources.slice(0, maxSources),
    turns,
    events: events.slice(0, maxEvents),
    is_cut: isTraceCut || all.length > maxTurns || events.length > maxEvents,
  }
}

import type { Conversation, ResponseGap, Turn } from '../conversations.ts'
import { findRecordSpan } from '../recordings/regions.ts'
import type { Span } from '../shared/traces.ts'
import { applyVoice, areMeasured, findOverlap, findSilences } from './apply-voice.ts'
import { findEvents } from './call-events.ts'
import { correctClocks } from './clock-differences.ts'
import type { VoiceActivity } from './find-voice.ts'
import { findFrameworkSteps, type FrameworkSteps, placeFrameworkSteps } from './framework-steps.ts'
import { findPlatformTurns, type PlatformTurn, sortTurns } from './platform-utterances.ts'
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

/** Returns how a turn was interrupted: by overlapping speech, or as the platform reports it. */
const findInterruption = (turn: PlatformTurn, next: PlatformTurn | undefined): Turn['interruption'] => {
  if (next === undefined) return null
  if (areMeasured(turn, next)) return findOverlap(turn, next)
  if (turn.speaker !== 'agent' || next.speaker !== 'caller' || next.transcript_ms < turn.end_ms) return null
  const isDuring = next.start_evidence !== 'unknown' && next.start_ms > turn.start_ms && next.start_ms < turn.end_ms
  return next.isBargeIn || isDuring ? { by: 'caller', at_ms: isDuring ? next.start_ms : turn.end_ms } : null
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
  /** Start of the call according to its record, in milliseconds since the Unix epoch. */
  callStartedAt: number
  /** Undefined if the call was not recorded. */
  recording?: { status: NonNullable<Conversation['recording']>['status']; activity?: VoiceActivity } | undefined
}

/** Returns the start of the recording: that of its span, or of the call without a trace. */
const findRecordingStart = (spans: readonly Span[], toMs: (at: bigint) => number): number => {
  const span = findRecordSpan(spans)
  return span === undefined ? 0 : toMs(span.start)
}

/** Returns the conversation, or undefined if there is no data. */
export const buildConversation = (data: ConversationData): Conversation | undefined => {
  const { spans, sources } = correctClocks(data.spans)
  const { recording, callStartedAt } = data
  const voice = recording?.activity
  const origin = spans[0]?.start ?? BigInt(callStartedAt) * nanosecondsPerMs
  if (spans.length === 0 && recording === undefined) return undefined
  // Rounding down keeps the order of instants, and sums of durations exact.
  const toMs = (at: bigint): number => Number((at - origin) / nanosecondsPerMs)
  const startedAt = Number(origin / nanosecondsPerMs)
  const recordingStart = findRecordingStart(spans, toMs)
  const recorded = voice && { activity: voice, start_ms: recordingStart }
  const derived = findPlatformTurns(spans, toMs, startedAt)
  const all = sortTurns(recorded ? applyVoice(derived, recorded) : derived)
  const stepSources = { application: findApplicationSteps(spans, toMs), framework: findFrameworkSteps(spans, toMs) }
  const events = [...findEvents(spans, toMs), ...(recorded ? findSilences(recorded) : [])]
  const bounded = all.slice(0, maxTurns)
  const turns = bounded.map((turn, position): Turn => {
    const [before, after] = [bounded[position - 1], bounded[position + 1]]
    const gap =
      turn.speaker === 'agent' ? findGap(before?.speaker === 'caller' ? before : undefined, turn, stepSources) : null
    return { ...toTurn(turn), gap, interruption: findInterruption(turn, after) }
  })
  const end = spans.reduce((latest, span) => Math.max(latest, toMs(span.end)), 0)
  return {
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Math.max(end, recorded ? recordingStart + recorded.activity.duration_ms : 0),
    sources: sources.slice(0, maxSources),
    recording: recording ? { status: recording.status, start_ms: recordingStart } : null,
    turns,
    events: events.toSorted((a, b) => a.at_ms - b.at_ms).slice(0, maxEvents),
    is_cut: data.isTraceCut || all.length > maxTurns || events.length > maxEvents,
  }
}

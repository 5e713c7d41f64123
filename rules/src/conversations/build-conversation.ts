import type { Conversation, ResponseGap, Turn } from '@patchbay/contract/conversations'
import type { ConversationDirection } from '@patchbay/contract/conversations/figures'
import { findRecordSpan } from '../recordings/regions.ts'
import type { Span } from '../traces/traces.ts'
import type { AgentEvent } from './agent-events.ts'
import { applyVoice, findSilences } from './apply-voice.ts'
import { findDigits, findStates, findUnexplainedParts, isExcluded } from './busy-ranges.ts'
import { findCallDirection } from './call-direction.ts'
import { findEvents } from './call-events.ts'
import { correctClocks } from './clock-differences.ts'
import type { VoiceActivity } from './find-voice.ts'
import { type FrameworkSteps, findFrameworkSteps, findModelUse, placeFrameworkSteps } from './framework-steps.ts'
import { mergeFrameworks } from './framework-utterances.ts'
import { findPosition, measureSpeed } from './interruption-position.ts'
import { findInterruptions } from './interruptions.ts'
import { findKnownSounds } from './known-sounds.ts'
import { addLatencySteps, type MergedTurn, mergeAgentEvents } from './merge-agent-events.ts'
import { findMutedRanges, type MutingData } from './muted-ranges.ts'
import { findOtherSteps } from './other-steps.ts'
import { findPlatformTurns, placeHeardTurns } from './platform-utterances.ts'
import { findLastBefore, type GapStep, type Interval, splitGap } from './response-gap.ts'
import { findOverlapping } from './speaker-segmentation.ts'

/** Builds the conversation of a call from the spans of its trace and the events of its agent. Pure. */

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
  caller: MergedTurn | undefined,
  agent: MergedTurn,
  { application, framework }: StepSources,
): ResponseGap | null => {
  if (caller === undefined) return null
  const { latency = [] } = agent.report ?? {}
  // Without a span, the times are chosen so that the gap has the reported duration.
  const isPlaced = agent.start_evidence !== 'unknown' || (agent.span_id === null && agent.report?.hasWait === true)
  const [start, end] = [caller.end_ms, agent.start_ms]
  if (!isPlaced || end < start) return null
  const isPlacedCaller = caller.span_id === null && latency.some(({ kind }) => kind === 'speech_to_text')
  const startsAt = caller.end_evidence === 'unknown' && !isPlacedCaller ? 'transcript' : 'end_of_speech'
  const requests = findLastBefore(application, getStart, end).filter(({ interval }) => interval.end > start)
  const platformSteps = [...caller.steps, ...requests, ...agent.steps]
  const spanSteps = mergeSteps(platformSteps, placeFrameworkSteps(framework, { start, end }))
  return splitGap({ start, end }, startsAt, addLatencySteps(spanSteps, latency, { start, end }, startsAt))
}

/** Returns the model and its tokens, as the agent or else its framework reports them. */
const findModel = (
  { speaker, start_ms, report }: MergedTurn,
  before: MergedTurn | undefined,
  framework: FrameworkSteps,
): Pick<Turn, 'model' | 'tokens'> => {
  if (speaker === 'caller') return { model: null, tokens: null }
  const used = findModelUse(framework, { start: before?.start_ms ?? -Infinity, end: start_ms })
  return { model: report?.model ?? used.model, tokens: report?.tokens ?? used.tokens }
}

/** Returns whether only the recording contains a turn. */
const isOnlyRecorded = ({ span_id, report }: MergedTurn): boolean => span_id === null && report === undefined

/** Shorter sounds of the caller, such as a cough, are no response. */
const minResponseMs = 500

/** Returns whether the caller responds in an interval, although the recognition did not understand it. */
const isHeard = (turns: readonly MergedTurn[], { start, end }: Interval): boolean =>
  turns.some(({ start_ms, end_ms }) => Math.min(end, end_ms) - Math.max(start, start_ms) >= minResponseMs)

const toTurn = ({
  transcript_ms: _transcript,
  isBargeIn: _bargeIn,
  isRecognized: _recognized,
  steps: _steps,
  report: _report,
  ...turn
}: MergedTurn) => turn

/** The voices in the recording of a call. */
export interface RecordingData {
  status: NonNullable<Conversation['recording']>['status']
  activity?: VoiceActivity
  /** Silence that the encoder added before the first sample, which the activity does not contain. */
  encoderDelayMs?: number
}

/** The record of a call. Times are milliseconds since the Unix epoch. */
export interface CallTimes {
  startedAt: number
  answeredAt?: number | undefined
  endedAt: number | undefined
  direction?: ConversationDirection | undefined
}

/** The data from which a conversation is derived. */
export interface ConversationData {
  /** The spans of the call's trace in chronological order (`parseSpans`). */
  spans: readonly Span[]
  /** The spans of other traces that name the call, such as that of an agent framework. */
  linkedSpans?: readonly Span[]
  /** Whether the trace has more spans, or the call more events. */
  isTraceCut: boolean
  /** The events of the agent, in any order. */
  agentEvents?: readonly AgentEvent[]
  /** The record of the call, for what a call without a trace lacks. */
  call?: CallTimes
  /** Undefined if the call was not recorded. */
  recording?: RecordingData | undefined
  /** The labels of the masking patterns of the provider, with their brackets. */
  maskLabels?: readonly string[]
}

/**
 * Returns the start of the recording: that of its span, or the answer of a call without a trace, when the platform begins
 * to record. Null if it is unknown.
 */
const findRecordingStart = (
  spans: readonly Span[],
  toMs: (at: bigint) => number,
  call: CallTimes | undefined,
): number | null => {
  const span = findRecordSpan(spans)
  if (span !== undefined) return toMs(span.start)
  return call === undefined ? null : Math.max(0, (call.answeredAt ?? call.startedAt) - call.startedAt)
}

const getLatest = (ends: readonly number[]): number => ends.reduce((latest, end) => Math.max(latest, end), 0)

/** The times of a recording and of spans differ by this. */
const recordingToleranceMs = 1000

/** The recording was paused, or it ended early, if it is shorter than its span by more than this. */
const maxMissingAudioMs = 3000

/**
 * Returns the ranges in which a muted recording is silent, or null if they cannot be placed: only the span of the recording
 * says when it began, and after a pause, later times are wrong.
 */
const findMuted = (spans: readonly Span[], data: MutingData): Conversation['muted_ranges'] => {
  const span = findRecordSpan(spans)
  if (span === undefined) return null
  const missingMs = Number((span.end - span.start) / nanosecondsPerMs) - data.recorded.activity.duration_ms
  return missingMs > maxMissingAudioMs ? null : (findMutedRanges(data) ?? null)
}

/** Returns the conversation, or undefined if there is no data. */
export const buildConversation = ({
  spans: traceSpans,
  linkedSpans = [],
  isTraceCut,
  agentEvents = [],
  call,
  recording,
  maskLabels: labels = [],
}: ConversationData): Conversation | undefined => {
  const corrected = correctClocks(traceSpans, linkedSpans)
  const { first } = corrected
  const untraced = first === undefined ? call : undefined
  // Rounding down keeps the order of instants, and sums of durations exact.
  const startedAt = first === undefined ? call?.startedAt : Number(first.start / nanosecondsPerMs)
  if (startedAt === undefined) return undefined
  const origin = first?.start ?? BigInt(startedAt) * nanosecondsPerMs
  const toMs = (at: bigint): number => Number((at - origin) / nanosecondsPerMs)
  const platformTurns = findPlatformTurns(corrected.spans, toMs, startedAt)
  const frameworks = mergeFrameworks(corrected, platformTurns, toMs)
  const { spans, sources } = frameworks
  const recordingStart = findRecordingStart(spans, toMs, untraced)
  const recorded =
    recording?.activity && recordingStart !== null
      ? { activity: recording.activity, start_ms: recordingStart }
      : undefined
  const traceEnd = first === undefined ? Infinity : getLatest(spans.map(({ end }) => toMs(end)))
  const callEnd = untraced?.endedAt === undefined ? traceEnd : untraced.endedAt - startedAt
  const times = { startedAt, callEnd }
  const merged = mergeAgentEvents(frameworks.turns, findEvents(spans, toMs), agentEvents, times)
  if (spans.length === 0 && merged.sources.length === 0 && recording === undefined) return undefined
  const heard = recorded && applyVoice(merged.turns, recorded, findKnownSounds(spans, toMs))
  const all = placeHeardTurns<MergedTurn>(heard?.turns ?? merged.turns)
  const busyRanges = findStates(spans, { turns: all, isRecorded: recorded !== undefined }, toMs)
  const digits = findDigits(merged.events)
  const hasDigit = (interval: Interval) => findOverlapping(digits, interval).length > 0
  const silences = recorded
    ? findSilences(recorded, callEnd, (interval) => findUnexplainedParts(busyRanges, digits, interval))
    : []
  const heardCaller = all.filter((turn) => turn.speaker === 'caller' && isOnlyRecorded(turn))
  const platformEvents = merged.events.filter(({ kind, at_ms, duration_ms }) => {
    const prompt = { start: at_ms, end: at_ms + duration_ms }
    if (kind !== 'no_input') return true
    return !hasDigit(prompt) && !isExcluded('no_input', busyRanges, prompt) && !isHeard(heardCaller, prompt)
  })
  const events = [...platformEvents, ...silences, ...(heard?.backchannels ?? [])].toSorted((a, b) => a.at_ms - b.at_ms)
  const stepSources = { application: findApplicationSteps(spans, toMs), framework: findFrameworkSteps(spans, toMs) }
  const bounded = all.slice(0, maxTurns)
  const interruptions = findInterruptions(bounded, busyRanges)
  const speed = measureSpeed(bounded, interruptions)
  const recordingEnd = recorded === undefined ? 0 : recorded.start_ms + recorded.activity.duration_ms
  const isWaitForAgent = ({ start_ms, duration_ms }: ResponseGap, caller: MergedTurn | undefined): boolean => {
    const interval = { start: start_ms, end: start_ms + duration_ms }
    // Without a recognition, only the recording says what the caller did until the agent spoke.
    const isUnrecognized = caller !== undefined && isOnlyRecorded(caller)
    if (isUnrecognized && interval.end > recordingEnd + recordingToleranceMs) return false
    return !hasDigit(interval) && !isExcluded('response_gap', busyRanges, interval)
  }
  const turns = bounded.map((turn, position): Turn => {
    const [before, interruption] = [bounded[position - 1], interruptions[position] ?? null]
    const wait =
      turn.speaker === 'agent' ? findGap(before?.speaker === 'caller' ? before : undefined, turn, stepSources) : null
    const gap = wait !== null && isWaitForAgent(wait, before) ? wait : null
    const model = findModel(turn, before, stepSources.framework)
    const isSpokenText = turn.report?.isSpokenText === true
    const { start_ms: start, end_ms: end } = turn
    const isOnlyHeard = turn.speaker === 'agent' && (turn.isRecognized === true || isOnlyRecorded(turn))
    const isOtherSide = isOnlyHeard && isExcluded('agent_turn', busyRanges, { start, end })
    return {
      ...toTurn(turn),
      ...(isOtherSide ? { is_other_side: true } : {}),
      ...model,
      gap,
      interruption: interruption && {
        ...interruption,
        ...findPosition(turn, interruption.at_ms, { isSpokenText, speed }),
      },
    }
  })
  // The masks in words of another party are not recognizable, so its speech stays muted.
  const masked = merged.turns.filter(({ isRecognized }) => !isRecognized)
  const isCut = isTraceCut || frameworks.isCut || all.length > maxTurns || events.length > maxEvents
  const ends = first === undefined ? bounded.map(({ end_ms }) => end_ms) : []
  if (callEnd !== Infinity) ends.push(callEnd)
  const direction = findCallDirection(first) ?? call?.direction
  const other = findOtherSteps(spans, { turns, events, frameworkSpans: frameworks.spanIds }, toMs)
  return {
    started_at: new Date(startedAt).toISOString(),
    duration_ms: getLatest([...ends, recordingEnd]),
    ...(direction === undefined ? {} : { direction }),
    sources: [...sources.slice(0, maxSources), ...merged.sources],
    recording: recording
      ? { status: recording.status, start_ms: recordingStart, encoder_delay_ms: recording.encoderDelayMs ?? 0 }
      : null,
    turns,
    events: events.slice(0, maxEvents),
    other_steps: other.steps,
    busy_ranges: busyRanges,
    muted_ranges:
      recorded && !isCut
        ? findMuted(spans, { turns: masked, platformTurns, events: merged.events, recorded, labels })
        : null,
    is_cut: isCut || other.isCut,
  }
}

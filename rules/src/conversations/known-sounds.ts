import { parseDurationMs } from '../recordings/regions.ts'
import { attribute, type Span } from '../traces/traces.ts'
import { findBusyRanges } from './busy-ranges.ts'
import type { VoiceActivity } from './find-voice.ts'
import { type Interval, subtract } from './response-gap.ts'
import { joinPauses } from './speaker-segmentation.ts'

/** Finds the sounds of a recording that are no speech: pressed keys, and what the platform plays. Pure. */

/** Spans begin before their audio and end after it, by the time that messages take. */
export const toleranceMs = 300

/** When sounds are known to be no speech, in milliseconds since the start of the call, sorted and without overlaps. */
export interface KnownSounds {
  /** The keys that the caller presses, which both sides can contain. */
  keys: readonly Interval[]
  /** Audio files and tones that the platform plays. */
  playback: readonly Interval[]
}

const sortAndJoin = (intervals: readonly Interval[]): Interval[] =>
  joinPauses(
    intervals.toSorted((a, b) => a.start - b.start),
    0,
  )

/** The platform writes the span of a key when its tone ends. The duration of the tone is an attribute. */
const toKey = (span: Span, toMs: (at: bigint) => number): Interval => ({
  start: toMs(span.start) - parseDurationMs(String(attribute(span, 'duration') ?? '')) - toleranceMs,
  end: toMs(span.end) + toleranceMs,
})

/**
 * Returns the known sounds of a call.
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findKnownSounds = (spans: readonly Span[], toMs: (at: bigint) => number): KnownSounds => ({
  keys: sortAndJoin(spans.filter(({ name }) => name.startsWith('dtmf:')).map((span) => toKey(span, toMs))),
  playback: sortAndJoin(
    findBusyRanges(spans, toMs)
      .filter(({ reason }) => reason === 'playback')
      .map(({ start_ms, end_ms }) => ({ start: start_ms, end: end_ms })),
  ),
})

const isKey = ({ start, end }: Interval, keys: readonly Interval[]): boolean =>
  keys.some((key) => key.start <= start && key.end >= end)

/** Returns the parts of a sound that are not played. What is left at the edges of a playback belongs to it. */
const withoutPlayback = (sound: Interval, playback: readonly Interval[]): Interval[] => {
  const rest = subtract(sound, playback)
  return rest.length === 1 && rest[0]?.start === sound.start && rest[0].end === sound.end
    ? rest
    : rest.filter(({ start, end }) => end - start > toleranceMs)
}

/** Returns the sounds of a recording that can be speech, with the times of the recording. */
export const withoutKnownSounds = (
  { caller, agent, duration_ms }: VoiceActivity,
  { keys, playback }: KnownSounds,
): VoiceActivity => ({
  duration_ms,
  caller: caller.filter((sound) => !isKey(sound, keys)),
  agent: agent.filter((sound) => !isKey(sound, keys)).flatMap((sound) => withoutPlayback(sound, playback)),
})

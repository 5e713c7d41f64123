import type { Interval } from './response-gap.ts'
import { type ChannelLevels, frameMs, toLevel, toLevelDifference } from './voice-levels.ts'

/** Finds the intervals in which a channel contains a voice, from its levels. Pure. */

/** The noise of a channel is estimated again after this many frames. */
const framesPerEstimate = 10
/** The noise is estimated from the frames around, so that it may change during a call. */
const framesAround = 1000
/** The quietest frames, and a share that is noise: even a speaker without a break pauses between words. */
const quietShare = 0.1
const noiseShare = 0.3
/** Peaks of noise exceed its quietest frames by this multiple of their variation, within limits. */
const peakFactor = 3
const minVariation = toLevelDifference(4)
const maxVariation = toLevelDifference(12)
/** With more frames of silence, a channel has no noise: it is synthetic, or its sender suppresses silence. */
const maxSilentShare = 0.2
/** Frames that are that quiet are digital silence, or lost. */
const silentLevel = toLevel(-98)
/** Telephone voices are louder than this, even far from the microphone. */
const minVoiceLevel = toLevel(-60)
/** The quiet parts of a voice are less than this below its loud parts. Other voices around are quieter. */
const voiceRange = toLevelDifference(26)

/** A voice begins this much above the noise, and ends below the second value. */
const startAboveNoise = toLevelDifference(2)
const endAboveNoise = 0
/** The relative power of each level. */
const powers = Float64Array.from({ length: 256 }, (_, level) => 10 ** (level / toLevelDifference(10)))

/** If the phone does not cancel its echo, the channel contains the other side quieter by the first value at least. */
const echoLoss = toLevelDifference(26)
/** A voice that has begun may be quieter than that. */
const echoLossDuringVoice = toLevelDifference(30)
/** An echo arrives up to this many frames late. */
const echoFrames = 40

/** Lost packets and closed consonants interrupt a voice for less than this. */
const maxBreakFrames = 20
/** Clicks are shorter than this. */
const minVoiceFrames = 8

/** Levels are averaged over this many frames, because those of noise vary. */
const smoothedFrames = 3

const smooth = (levels: Uint8Array): Uint8Array =>
  levels.map((level, frame) => {
    const [before, after] = [levels[frame - 1] ?? level, levels[frame + 1] ?? level]
    return Math.round((before + level + after) / smoothedFrames)
  })

/** Returns the level of the loud parts of a channel: the mean of its levels, each weighted by its power. */
const findLoudLevel = (levels: Uint8Array): number => {
  let [sum, weights] = [0, 0]
  for (const level of levels) {
    const weight = powers[level] ?? 0
    sum += weight * level
    weights += weight
  }
  return weights === 0 ? 0 : sum / weights
}

/** Returns the lowest level that `share` of the counted frames do not exceed. */
const findPercentile = (counts: Uint32Array, total: number, share: number): number => {
  let remaining = total * share
  for (let level = 0; level < counts.length; level += 1) {
    remaining -= counts[level] ?? 0
    if (remaining < 0) return level
  }
  return 0
}

/** Returns the level that noise does not exceed for each `framesPerEstimate` frames. */
const estimateNoise = (levels: Uint8Array): Uint8Array => {
  const estimates = new Uint8Array(Math.ceil(levels.length / framesPerEstimate))
  const counts = new Uint32Array(256)
  let [silent, counted, from, until] = [0, 0, 0, 0]
  const count = (position: number, change: 1 | -1): void => {
    const level = levels[position] ?? 0
    counted += change
    if (level <= silentLevel) silent += change
    else counts[level] = (counts[level] ?? 0) + change
  }
  for (let index = 0; index < estimates.length; index += 1) {
    const middle = index * framesPerEstimate
    for (; until < Math.min(levels.length, middle + framesAround); until += 1) count(until, 1)
    for (; from < middle - framesAround; from += 1) count(from, -1)
    if (silent > counted * maxSilentShare) continue
    const quiet = findPercentile(counts, counted - silent, quietShare)
    const variation = findPercentile(counts, counted - silent, noiseShare) - quiet
    estimates[index] = Math.min(255, quiet + Math.max(minVariation, Math.min(maxVariation, variation * peakFactor)))
  }
  return estimates
}

/** Returns for each frame whether it contains a voice. */
const findVoicedFrames = (levels: ChannelLevels, other: ChannelLevels): Uint8Array => {
  const [low, high] = [smooth(levels.low), smooth(levels.high)]
  const quietest = Math.max(minVoiceLevel, findLoudLevel(low) - voiceRange)
  const [lowNoise, highNoise] = [estimateNoise(low), estimateNoise(high)]
  const voiced = new Uint8Array(low.length)
  let isVoice = false
  let [otherPeak, otherPeakAt] = [0, 0]
  for (let frame = 0; frame < low.length; frame += 1) {
    const otherLevel = other.low[frame] ?? 0
    if (otherLevel >= otherPeak || frame - otherPeakAt > echoFrames) [otherPeak, otherPeakAt] = [otherLevel, frame]
    const estimate = Math.floor(frame / framesPerEstimate)
    const above: number = isVoice ? endAboveNoise : startAboveNoise
    const level = low[frame] ?? 0
    const isAbove: boolean =
      level >= Math.max(quietest, (lowNoise[estimate] ?? 0) + above) ||
      (high[frame] ?? 0) >= Math.max(quietest, (highNoise[estimate] ?? 0) + above)
    isVoice = isAbove && level + (isVoice ? echoLossDuringVoice : echoLoss) > otherPeak
    voiced[frame] = isVoice ? 1 : 0
  }
  return voiced
}

/** Returns the voiced frames as intervals, across short breaks and without clicks. Positions are frames. */
const toIntervals = (voiced: Uint8Array): Interval[] => {
  const intervals: Interval[] = []
  let [start, last, count] = [-1, -1, 0]
  const end = () => {
    if (count >= minVoiceFrames) intervals.push({ start: start * frameMs, end: (last + 1) * frameMs })
  }
  for (let frame = 0; frame < voiced.length; frame += 1) {
    if (voiced[frame] === 0) continue
    if (start >= 0 && frame - last > maxBreakFrames) {
      end()
      start = -1
    }
    if (start < 0) [start, count] = [frame, 0]
    last = frame
    count += 1
  }
  if (start >= 0) end()
  return intervals
}

/** When each side speaks, in milliseconds since the start of the recording, in chronological order. */
export interface VoiceActivity {
  caller: readonly Interval[]
  agent: readonly Interval[]
  duration_ms: number
}

/** Returns when each side speaks. */
export const findVoiceActivity = (caller: ChannelLevels, agent: ChannelLevels): VoiceActivity => ({
  caller: toIntervals(findVoicedFrames(caller, agent)),
  agent: toIntervals(findVoicedFrames(agent, caller)),
  duration_ms: Math.max(caller.low.length, agent.low.length) * frameMs,
})

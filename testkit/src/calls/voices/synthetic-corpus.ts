import { findVoiceActivity, type VoiceActivity } from '@patchbay/rules/conversations/find-voice'
import {
  findSpokenGaps,
  findSpokenInterruptions,
  findSpokenTurns,
  type SpokenTurn,
} from '@patchbay/rules/conversations/speaker-segmentation'
import { LevelMeter } from '@patchbay/rules/conversations/voice-levels'
import { composeCall, type Disturbances, type SyntheticCall } from './synthetic-call.ts'
import { voiceSampleRate } from './voice-samples.ts'

/** A corpus of 30 calls with known turns, and the errors of the detection of voices in it. */

export interface CorpusGroup {
  name: string
  calls: readonly Disturbances[]
}

const lostPackets = 0.03

export const corpusGroups: readonly CorpusGroup[] = [
  {
    name: 'no noise',
    calls: [{ noise: 'none' }, { noise: 'none', callerGain: -15 }, { noise: 'none', callerGain: 6 }],
  },
  {
    name: '3 % of packets lost',
    calls: [
      { noise: 'none', lostPackets },
      { noise: 'pink', signalToNoise: 20, lostPackets: 0.05 },
      { noise: 'babble', signalToNoise: 25, lostPackets },
    ],
  },
  {
    name: 'echo of the agent, 28 to 32 dB quieter',
    calls: [
      { noise: 'none', echo: 30 },
      { noise: 'pink', signalToNoise: 25, echo: 28 },
      { noise: 'white', signalToNoise: 25, echo: 32, lostPackets },
      { noise: 'white', signalToNoise: 15, echo: 30, lostPackets },
    ],
  },
  ...(['white', 'pink', 'hum', 'babble'] as const).map(
    (noise): CorpusGroup => ({
      name: { white: 'white noise', pink: 'pink noise', hum: 'hum of 50 Hz', babble: 'voices in the background' }[
        noise
      ],
      calls: [
        { noise, signalToNoise: 30 },
        { noise, signalToNoise: 20 },
        { noise, signalToNoise: 15, callerGain: -6 },
        { noise, signalToNoise: 10 },
      ],
    }),
  ),
  {
    name: 'a caller 12 to 20 dB quieter than the agent',
    calls: [
      { noise: 'pink', signalToNoise: 30, callerGain: -12 },
      { noise: 'pink', signalToNoise: 30, callerGain: -16 },
      { noise: 'pink', signalToNoise: 30, callerGain: -20 },
      { noise: 'hum', signalToNoise: 20, callerGain: -12 },
    ],
  },
]

/** Measures the levels of a call and finds its voices. */
export const detectVoices = ({ caller, agent }: Pick<SyntheticCall, 'caller' | 'agent'>): VoiceActivity => {
  const [callerMeter, agentMeter] = [new LevelMeter(voiceSampleRate), new LevelMeter(voiceSampleRate)]
  callerMeter.add(caller)
  agentMeter.add(agent)
  return findVoiceActivity(callerMeter.getLevels(), agentMeter.getLevels())
}

export interface DetectionErrors {
  /** Absolute error of each beginning and each end of a turn, in milliseconds. */
  boundaries: number[]
  /** Absolute error of the length of each response gap, in milliseconds. */
  gaps: number[]
  interruptions: { total: number; found: number; false: number }
}

/** An error of this length is counted for what was not found. */
const missingMs = 10_000
/** An interruption is found if it is reported within this time. */
const nearMs = 300

const findNearest = (values: readonly number[], value: number): number =>
  Math.min(missingMs, ...values.map((one) => Math.abs(one - value)))

/** Compares the turns that were found with those of the call. */
export const compareTurns = (call: SyntheticCall, found: readonly SpokenTurn[]): DetectionErrors => {
  const boundaries = call.turns.flatMap(({ speaker, start, end }) => {
    const own = found.filter((turn) => turn.speaker === speaker)
    return [
      findNearest(
        own.map((turn) => turn.start),
        start,
      ),
      findNearest(
        own.map((turn) => turn.end),
        end,
      ),
    ]
  })
  const interruptions = findSpokenInterruptions(found)
  const isFound = ({ by, at_ms }: SyntheticCall['interruptions'][number]) =>
    interruptions.some((one) => one.by === by && Math.abs(one.at_ms - at_ms) <= nearMs)
  const foundCount = call.interruptions.filter(isFound).length
  const gaps = findSpokenGaps(found)
  return {
    boundaries,
    gaps: call.gaps.map((gap) => {
      const nearest = gaps.find(({ start, end }) => start < gap.end && end > gap.start)
      return nearest === undefined ? missingMs : Math.abs(nearest.end - nearest.start - (gap.end - gap.start))
    }),
    interruptions: {
      total: call.interruptions.length,
      found: foundCount,
      false: interruptions.length - foundCount,
    },
  }
}

const firstSeed = 100

/** Returns the errors for each group of the corpus. */
export const measureCorpus = (seed = firstSeed): { name: string; calls: number; errors: DetectionErrors }[] => {
  let next = seed
  return corpusGroups.map(({ name, calls }) => {
    const all = calls.map((disturbances) => {
      const call = composeCall((next += 1), disturbances)
      return compareTurns(call, findSpokenTurns(detectVoices(call)))
    })
    return { name, calls: calls.length, errors: joinErrors(all) }
  })
}

/** Joins the errors of several calls. */
export const joinErrors = (all: readonly DetectionErrors[]): DetectionErrors => {
  const sum = (key: keyof DetectionErrors['interruptions']) =>
    all.reduce((total, { interruptions }) => total + interruptions[key], 0)
  return {
    boundaries: all.flatMap(({ boundaries }) => boundaries),
    gaps: all.flatMap(({ gaps }) => gaps),
    interruptions: { total: sum('total'), found: sum('found'), false: sum('false') },
  }
}

/** Returns the share of errors that are at most 100 ms. */
export const shareWithin100ms = (errors: readonly number[]): number =>
  errors.filter((error) => error <= 100).length / errors.length

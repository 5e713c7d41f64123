import type { Interval } from '@patchbay/rules/conversations/response-gap'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import { readVoiceSamples, trimSilence, type VoiceSample, voiceSampleRate } from './voice-samples.ts'

/** Composes telephone calls of which it is known exactly who speaks when, with the disturbances of real ones. */

export interface Disturbances {
  noise: 'none' | 'white' | 'pink' | 'hum' | 'babble'
  /** Ratio of the caller's voice to the noise, in decibels. */
  signalToNoise?: number
  /** Share of packets of 20 ms that are lost, in bursts of up to three. They are silent. */
  lostPackets?: number
  /** The caller's phone returns the agent's voice, this many decibels quieter. */
  echo?: number
  /** Gain of the caller's voice in decibels. */
  callerGain?: number
}

export interface Overlap {
  by: 'caller' | 'agent'
  at_ms: number
}

/** A call with two channels. Times are milliseconds from its start. */
export interface SyntheticCall {
  caller: Float32Array
  agent: Float32Array
  /** When each side speaks: from the beginning of a turn to its end, pauses included. */
  turns: { speaker: 'caller' | 'agent'; start: number; end: number; isBackchannel: boolean }[]
  /** The caller interrupts the agent, which stops, or the agent begins before the caller has finished. */
  interruptions: Overlap[]
  /** From the end of a turn of the caller to the answer of the agent. */
  gaps: Interval[]
}

const callers = readVoiceSamples('caller')
const agents = readVoiceSamples('agent')

const isBackchannel = ({ name }: VoiceSample): boolean => /^(?:09|10)-/.test(name)
const backchannels = callers.filter(isBackchannel)
const sentences = callers.filter((sample) => !isBackchannel(sample))
const longAnswers = agents.filter(({ samples }) => samples.length > 3 * voiceSampleRate)

const toSamples = (milliseconds: number): number => Math.round((milliseconds * voiceSampleRate) / 1000)
const toMs = (samples: number): number => Math.round((samples * 1000) / voiceSampleRate)

const between = (random: Random, from: number, until: number): number => from + random.below(until - from)

const fromDecibels = (decibels: number): number => 10 ** (decibels / 20)

/** The places where sentences begin, and how long they are heard. */
interface Placed {
  speaker: 'caller' | 'agent'
  sample: VoiceSample
  start: number
  length: number
}

interface Script extends Pick<SyntheticCall, 'turns' | 'interruptions' | 'gaps'> {
  placed: Placed[]
  end: number
}

/** Writes the course of a call: exchanges with and without interruptions, agreeing noises, and pauses within a turn. */
const writeScript = (random: Random, exchanges: number): Script => {
  const script: Script = { placed: [], turns: [], interruptions: [], gaps: [], end: 0 }
  const say = (speaker: 'caller' | 'agent', sample: VoiceSample, start: number, length = sample.samples.length) => {
    script.placed.push({ speaker, sample, start: toSamples(start), length })
    const end = start + toMs(length)
    script.end = Math.max(script.end, end)
    return end
  }
  const addTurn = (speaker: 'caller' | 'agent', start: number, end: number, isShort = false) =>
    script.turns.push({ speaker, start, end, isBackchannel: isShort })

  let now = between(random, 300, 1500)
  let agentEnd = say('agent', agents[0] ?? random.pick(agents), now)
  addTurn('agent', now, agentEnd)
  for (let exchange = 0; exchange < exchanges; exchange += 1) {
    now = agentEnd + between(random, 300, 2000)
    const start = now
    let end = say('caller', random.pick(sentences), now)
    if (random.roll() < 0.3) end = say('caller', random.pick(sentences), end + between(random, 400, 1200))
    addTurn('caller', start, end)
    const kind = random.pick(['plain', 'plain', 'interrupted', 'backchannel', 'talk-over'] as const)
    if (kind === 'talk-over') {
      const overlap = between(random, 350, 800)
      now = end - overlap
      script.interruptions.push({ by: 'agent', at_ms: now })
      agentEnd = say('agent', random.pick(longAnswers), now)
      addTurn('agent', now, agentEnd)
      continue
    }
    now = end + between(random, 400, 2500)
    script.gaps.push({ start: end, end: now })
    const answer = kind === 'plain' ? random.pick(agents) : random.pick(longAnswers)
    if (kind === 'interrupted') {
      const cut = answer.samples.subarray(0, Math.round(answer.samples.length * (0.4 + random.roll() * 0.3)))
      const heard = trimSilence(cut).length
      agentEnd = say('agent', answer, now, heard)
      addTurn('agent', now, agentEnd)
      const interrupted = agentEnd - between(random, 250, 700)
      script.interruptions.push({ by: 'caller', at_ms: interrupted })
      const interruptionEnd = say('caller', random.pick(sentences), interrupted)
      addTurn('caller', interrupted, interruptionEnd)
      now = interruptionEnd + between(random, 500, 1500)
      script.gaps.push({ start: interruptionEnd, end: now })
      agentEnd = say('agent', random.pick(agents), now)
      addTurn('agent', now, agentEnd)
      continue
    }
    agentEnd = say('agent', answer, now)
    addTurn('agent', now, agentEnd)
    if (kind !== 'backchannel') continue
    const at = now + between(random, 800, agentEnd - now - 1200)
    addTurn('caller', at, say('caller', random.pick(backchannels), at), true)
  }
  return script
}

/** Returns noise with a mean square of 1. */
const createNoise = (random: Random, kind: Disturbances['noise'], length: number): Float32Array => {
  const noise = new Float32Array(length)
  let [b0, b1, b2] = [0, 0, 0]
  const speakers =
    kind === 'babble'
      ? Array.from({ length: 6 }, (): { samples: Float32Array; at: number } => ({
          samples: new Float32Array(0),
          at: 0,
        }))
      : []
  for (let position = 0; position < length; position += 1) {
    const white = random.roll() * 2 - 1
    if (kind === 'white') noise[position] = white
    else if (kind === 'pink') {
      // The economy filter of Paul Kellet.
      b0 = 0.99765 * b0 + white * 0.099046
      b1 = 0.963 * b1 + white * 0.2965164
      b2 = 0.57 * b2 + white * 1.0526913
      noise[position] = b0 + b1 + b2 + white * 0.1848
    } else if (kind === 'hum')
      noise[position] = Math.sin((2 * Math.PI * 50 * position) / voiceSampleRate) * 2 + white * 0.2
    else
      for (const speaker of speakers) {
        if (speaker.at === 0) {
          speaker.samples = random.pick(sentences).samples
          speaker.at = speaker.samples.length
        }
        // Sentences are played backward, so that they are not those of the caller.
        speaker.at -= 1
        noise[position] = (noise[position] ?? 0) + (speaker.samples[speaker.at] ?? 0)
      }
  }
  const power = noise.reduce((sum, value) => sum + value * value, 0) / length
  return power === 0 ? noise : noise.map((value) => value / Math.sqrt(power))
}

const echoDelay = toSamples(120)
const packetLength = toSamples(20)

/** Level of the sentences (voice-samples.ts). */
const voiceLevel = 0.1

const disturb = (
  random: Random,
  { caller, agent }: { caller: Float32Array; agent: Float32Array },
  { noise, signalToNoise = 30, lostPackets = 0, echo, callerGain = 0 }: Disturbances,
): void => {
  if (noise !== 'none') {
    const gain = voiceLevel * fromDecibels(callerGain - signalToNoise)
    for (const [position, value] of createNoise(random, noise, caller.length).entries())
      caller[position] = (caller[position] ?? 0) + value * gain
  }
  if (echo !== undefined)
    for (let position = echoDelay; position < caller.length; position += 1)
      caller[position] = (caller[position] ?? 0) + (agent[position - echoDelay] ?? 0) * fromDecibels(-echo)
  for (let packet = 0; packet < caller.length; packet += packetLength) {
    if (random.roll() >= lostPackets / 2) continue
    const burst = 1 + random.below(3)
    caller.fill(0, packet, packet + burst * packetLength)
  }
}

/**
 * Composes a call.
 * @param seed the same seed gives the same call
 */
export const composeCall = (seed: number, disturbances: Disturbances, exchanges = 6): SyntheticCall => {
  const random = createRandom(seed)
  const { placed, end, turns, interruptions, gaps } = writeScript(random, exchanges)
  const length = toSamples(end + 1000)
  const sides = { caller: new Float32Array(length), agent: new Float32Array(length) }
  for (const { speaker, sample, start, length: heard } of placed) {
    const gain = speaker === 'caller' ? fromDecibels(disturbances.callerGain ?? 0) : 1
    for (let position = 0; position < heard; position += 1)
      sides[speaker][start + position] =
        (sides[speaker][start + position] ?? 0) + (sample.samples[position] ?? 0) * gain
  }
  disturb(random, sides, disturbances)
  return { ...sides, turns: turns.toSorted((a, b) => a.start - b.start), interruptions, gaps }
}

/** Returns a call as 16-bit little-endian samples of two interleaved channels, as the platform sends recordings. */
export const toPcm = ({ caller, agent }: Pick<SyntheticCall, 'caller' | 'agent'>): Buffer => {
  const pcm = Buffer.alloc(caller.length * 4)
  const write = (sample: number, at: number) =>
    pcm.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), at)
  for (const [position, sample] of caller.entries()) {
    write(sample, position * 4)
    write(agent[position] ?? 0, position * 4 + 2)
  }
  return pcm
}

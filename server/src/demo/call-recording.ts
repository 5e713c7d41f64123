import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { createEncoder } from '../call-data/recordings/encoders.ts'
import { createUnfinishedPath } from '../call-data/recordings/file-recordings.ts'
import { createDraft } from '../call-data/recordings/partial-recording.ts'
import { pairBytes } from '../call-data/recordings/pcm-format.ts'
import { newRecordingId, type RecordingName } from '../call-data/recordings/recording-names.ts'
import type { Services } from '../resources/services.ts'
import type { CallFacts } from './call-records.ts'
import type { PlannedSpan } from './call-spans.ts'
import { createRandom, type Random } from './seeded-random.ts'

/** Recordings of demo calls. They contain no words, but voices that speak at the times in the trace. */

const sampleRate = 8000

/** Maximum duration of a recorded call, because longer ones take long to generate. */
const maxSeconds = 75

/** Returns whether a call can have a recording. */
export const isRecordable = ({ seconds }: CallFacts): boolean => seconds >= 25 && seconds <= maxSeconds

const createName = ({ call_sid, at, ringing, seconds }: CallFacts): RecordingName => {
  const day = new Date(at + ringing + seconds * 1000).toISOString().slice(0, 10)
  // A quarter of the recordings are MP3 files, which take longer to generate.
  const format: RecordFormat = Number.parseInt(call_sid.slice(0, 1), 16) % 4 === 0 ? 'mp3' : 'wav'
  return { call_sid, day, format }
}

export const recordingUrl = (call: CallFacts): string => {
  const { call_sid, day, format } = createName(call)
  return `/Accounts/${call.account_sid}/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/${format}`
}

interface Voice {
  channel: 0 | 1
  /** Fundamental frequency. */
  hertz: number
}

const caller: Voice = { channel: 0, hertz: 118 }
const platform: Voice = { channel: 1, hertz: 195 }

/** The two formants of some vowels, in Hz. */
const vowels = [
  [700, 1200],
  [500, 1850],
  [300, 2300],
  [450, 900],
  [320, 800],
] as const

/** Returns the gain of a formant at a frequency. */
const resonance = (hertz: number, formant: number): number => 1 / (1 + ((hertz - formant) / 120) ** 2)

/** Returns the sum of a tone and its overtones at an angle: sin((n + 1)x) = 2 cos(x) sin(nx) - sin((n - 1)x). */
const chord = (angle: number, loudness: readonly number[]): number => {
  const twice = 2 * Math.cos(angle)
  let [before, tone, sum] = [0, Math.sin(angle), 0]
  for (const loud of loudness) {
    sum += loud * tone
    const next = twice * tone - before
    before = tone
    tone = next
  }
  return sum
}

/** Adds syllables with pauses between words, between two times in seconds. */
const addSpeech = (
  sound: Float32Array,
  dice: Random,
  { hertz }: Voice,
  text: string,
  from: number,
  until: number,
): void => {
  // A word has one syllable per group of vowels and is followed by a pause of half a syllable.
  const beats = text.split(/\s+/).flatMap((word) => [...(word.match(/[aeiouy]+/gi) ?? ['']).map(() => 1), -0.5])
  const beat = (until - from) / beats.reduce((sum, length) => sum + Math.abs(length), 0)
  let at = from
  for (const length of beats) {
    const seconds = Math.abs(length) * beat
    if (length > 0) {
      const pitch = hertz * (0.94 + 0.12 * dice.roll())
      const formants = dice.pick(vowels)
      const loudness = Array.from({ length: 12 }, (_, position) => {
        const tone = (position + 1) * pitch
        return 0.15 / (position + 1) + Math.max(...formants.map((formant) => resonance(tone, formant)))
      })
      const first = Math.round(at * sampleRate)
      const count = Math.round(seconds * sampleRate)
      for (let sample = 0; sample < count && first + sample < sound.length; sample += 1) {
        const swell = Math.sin((Math.PI * sample) / count) ** 0.6
        sound[first + sample] = 0.09 * swell * chord((2 * Math.PI * pitch * sample) / sampleRate, loudness)
      }
    }
    at += seconds
  }
}

/** Returns the two frequencies of a telephone key in Hz (ITU-T Q.23). */
const getDtmfTones = (digit: string): readonly [number, number] => {
  const at = Math.max(0, '123456789*0#'.indexOf(digit))
  return [[697, 770, 852, 941][Math.floor(at / 3)] ?? 941, [1209, 1336, 1477][at % 3] ?? 1336]
}

const addDtmf = (sound: Float32Array, digit: string, from: number): void => {
  const tones = getDtmfTones(digit)
  const first = Math.round(from * sampleRate)
  for (let sample = 0; sample < 0.12 * sampleRate && first + sample < sound.length; sample += 1)
    sound[first + sample] = tones.reduce(
      (sum, tone) => sum + 0.25 * Math.sin((2 * Math.PI * tone * sample) / sampleRate),
      0,
    )
}

/** Returns the samples of both channels, according to the spans of the call. */
const synthesizeCall = (dice: Random, plannedSpans: readonly PlannedSpan[]): Float32Array[] => {
  const recordSpan = plannedSpans.find(({ name }) => name === 'background-record:listen')
  if (recordSpan === undefined) return []
  const at = (milliseconds: number): number => (milliseconds - recordSpan.from) / 1000
  const samples = Math.ceil(at(recordSpan.until) * sampleRate)
  // A little noise makes the line sound real.
  const channels = [0, 1].map(() => Float32Array.from({ length: samples }, () => (dice.roll() - 0.5) * 0.004))
  const [callerAudio = new Float32Array(0), platformAudio = new Float32Array(0)] = channels
  for (const [position, { name, from, until, attributes }] of plannedSpans.entries()) {
    if (name.startsWith('verb:say')) {
      const generation = plannedSpans.find((span) => span.parent === position && span.name === 'tts-generation')
      addSpeech(platformAudio, dice, platform, String(attributes['text']), at(generation?.until ?? from), at(until))
    }
    if (name.startsWith('dtmf:')) addDtmf(callerAudio, String(attributes['dtmf']), at(from))
    const result = attributes['stt.result']
    if (!name.startsWith('stt-listen') || result === undefined) continue
    const { transcript } = JSON.parse(String(result)).alternatives[0]
    const end = at(until - Number(attributes['stt.latency_ms']))
    // Speaking takes about 60 ms per letter.
    addSpeech(callerAudio, dice, caller, transcript, Math.max(at(from), end - 0.06 * transcript.length), end)
  }
  return channels
}

/** Interleaves the two channels as 16-bit little-endian samples. */
const interleave = ([left, right]: readonly Float32Array[]): Buffer => {
  const pairs = Buffer.alloc((left?.length ?? 0) * pairBytes)
  const toInt16 = (sample: number | undefined) => Math.round(Math.max(-1, Math.min(1, sample ?? 0)) * 32_767)
  for (let at = 0; at < pairs.length / pairBytes; at += 1) {
    pairs.writeInt16LE(toInt16(left?.[at]), at * pairBytes)
    pairs.writeInt16LE(toInt16(right?.[at]), at * pairBytes + 2)
  }
  return pairs
}

/** Generates the recording of a call and stores it. */
export const recordCall = async (
  { recordings, configuration }: Pick<Services, 'recordings' | 'configuration'>,
  call: CallFacts,
  plannedSpans: readonly PlannedSpan[],
): Promise<void> => {
  const name = createName(call)
  const file = await createUnfinishedPath(configuration.dataDir)
  const draft = await createDraft(file, createEncoder(name.format, sampleRate), (piece) => piece())
  await draft.write(interleave(synthesizeCall(createRandom(call.at), plannedSpans)))
  await draft.finish()
  const { account_sid, call_sid, from, to, direction } = call
  const metadata = { accountSid: account_sid, callSid: call_sid, from, to, direction, sampleRate: String(sampleRate) }
  await recordings.store({ account_sid, name, file, metadata, recording_id: newRecordingId() })
}

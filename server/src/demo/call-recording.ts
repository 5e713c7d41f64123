import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { createDraft } from '../call-data/recordings/partial-recording.ts'
import { createEncoder } from '../call-data/recordings/encoders.ts'
import { createUnfinishedPath } from '../call-data/recordings/file-recordings.ts'
import { pairBytes } from '../call-data/recordings/pcm-format.ts'
import { newRecordingId, type RecordingName } from '../call-data/recordings/recording-names.ts'
import type { Services } from '../resources/services.ts'
import type { CallFacts } from './call-records.ts'
import type { PlannedSpan } from './call-spans.ts'
import { createRandom, type Random } from './seeded-random.ts'

/** What a call of a voice bot sounds like: no words, but voices that speak when and as long as its trace says. */

const sampleRate = 8000

/** Of the calls with a recording; longer ones take long to make. */
const longest = 75

/** Whether a call is one of those that may be recorded. */
export const isRecordable = ({ seconds }: CallFacts): boolean => seconds >= 25 && seconds <= longest

const nameOf = ({ call_sid, at, ringing, seconds }: CallFacts): RecordingName => {
  const day = new Date(at + ringing + seconds * 1000).toISOString().slice(0, 10)
  // MP3, which takes longer to make, is that of one in four.
  const format: RecordFormat = Number.parseInt(call_sid.slice(0, 1), 16) % 4 === 0 ? 'mp3' : 'wav'
  return { call_sid, day, format }
}

export const recordingUrl = (call: CallFacts): string => {
  const { call_sid, day, format } = nameOf(call)
  return `/Accounts/${call.account_sid}/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/${format}`
}

interface Voice {
  channel: 0 | 1
  /** of the vocal cords */
  hertz: number
}

const caller: Voice = { channel: 0, hertz: 118 }
const platform: Voice = { channel: 1, hertz: 195 }

/** The two formants of some vowels, Hz. */
const vowels = [
  [700, 1200],
  [500, 1850],
  [300, 2300],
  [450, 900],
  [320, 800],
] as const

/** How much of a harmonic a formant lets through. */
const resonance = (hertz: number, formant: number): number => 1 / (1 + ((hertz - formant) / 120) ** 2)

/** A tone and its overtones at an angle: sin((n + 1)x) = 2 cos(x) sin(nx) - sin((n - 1)x). */
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

/** A syllable after the other, with pauses between words, from one instant to another (seconds). */
const speak = (
  sound: Float32Array,
  dice: Random,
  { hertz }: Voice,
  text: string,
  from: number,
  until: number,
): void => {
  // A word sounds as often as it has vowels, and is followed by a pause half as long.
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

/** Rows and columns of the keys of a telephone, Hz (ITU-T Q.23). */
const dtmfOf = (digit: string): readonly [number, number] => {
  const at = Math.max(0, '123456789*0#'.indexOf(digit))
  return [[697, 770, 852, 941][Math.floor(at / 3)] ?? 941, [1209, 1336, 1477][at % 3] ?? 1336]
}

const press = (sound: Float32Array, digit: string, from: number): void => {
  const tones = dtmfOf(digit)
  const first = Math.round(from * sampleRate)
  for (let sample = 0; sample < 0.12 * sampleRate && first + sample < sound.length; sample += 1)
    sound[first + sample] = tones.reduce(
      (sum, tone) => sum + 0.25 * Math.sin((2 * Math.PI * tone * sample) / sampleRate),
      0,
    )
}

/** The samples of both channels, of what the spans say. */
const soundOf = (dice: Random, planned: readonly PlannedSpan[]): Float32Array[] => {
  const record = planned.find(({ name }) => name === 'background-record:listen')
  if (record === undefined) return []
  const at = (milliseconds: number): number => (milliseconds - record.from) / 1000
  const samples = Math.ceil(at(record.until) * sampleRate)
  // No line is without noise.
  const channels = [0, 1].map(() => Float32Array.from({ length: samples }, () => (dice.roll() - 0.5) * 0.004))
  const [heard = new Float32Array(0), said = new Float32Array(0)] = channels
  for (const [position, { name, from, until, attributes }] of planned.entries()) {
    if (name.startsWith('verb:say')) {
      const made = planned.find((span) => span.parent === position && span.name === 'tts-generation')
      speak(said, dice, platform, String(attributes['text']), at(made?.until ?? from), at(until))
    }
    if (name.startsWith('dtmf:')) press(heard, String(attributes['dtmf']), at(from))
    const result = attributes['stt.result']
    if (!name.startsWith('stt-listen') || result === undefined) continue
    const { transcript } = JSON.parse(String(result)).alternatives[0]
    const end = at(until - Number(attributes['stt.latency_ms']))
    // People take about 60 ms a letter.
    speak(heard, dice, caller, transcript, Math.max(at(from), end - 0.06 * transcript.length), end)
  }
  return channels
}

/** 16 bit little-endian, the channels in turn. */
const pairsOf = ([left, right]: readonly Float32Array[]): Buffer => {
  const pairs = Buffer.alloc((left?.length ?? 0) * pairBytes)
  const written = (sample: number | undefined) => Math.round(Math.max(-1, Math.min(1, sample ?? 0)) * 32_767)
  for (let at = 0; at < pairs.length / pairBytes; at += 1) {
    pairs.writeInt16LE(written(left?.[at]), at * pairBytes)
    pairs.writeInt16LE(written(right?.[at]), at * pairBytes + 2)
  }
  return pairs
}

/** Makes the recording of a call, and stores it where recordings lie. */
export const recordCall = async (
  { recordings, configuration }: Pick<Services, 'recordings' | 'configuration'>,
  call: CallFacts,
  planned: readonly PlannedSpan[],
): Promise<void> => {
  const name = nameOf(call)
  const file = await createUnfinishedPath(configuration.dataDir)
  const draft = await createDraft(file, createEncoder(name.format, sampleRate), (piece) => piece())
  await draft.write(pairsOf(soundOf(createRandom(call.at), planned)))
  await draft.finish()
  const { account_sid, call_sid, from, to, direction } = call
  const metadata = { accountSid: account_sid, callSid: call_sid, from, to, direction, sampleRate: String(sampleRate) }
  await recordings.store({ account_sid, name, file, metadata, recording_id: newRecordingId() })
}

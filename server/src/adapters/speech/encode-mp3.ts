import { setImmediate } from 'node:timers/promises'
import type { Audio } from './speech.ts'

/** Raw audio as MP3 (api/3-speech.md §1.14): mono, 128 kbit/s, of which the format has 64 at most at 8000 Hz. */

type Pcm = Extract<Audio, { type: 'pcm' }>

const rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** The rate at which audio is encoded: the next that the format has. */
export const toMp3SampleRate = (sampleRate: number) => rates.find((rate) => rate >= sampleRate) ?? 48_000

/** Samples that are encoded without a pause: a few milliseconds of work. */
const slice = 16_384

const samplesOf = ({ content }: Pcm): Float32Array =>
  Float32Array.from({ length: Math.floor(content.length / 2) }, (_, at) => content.readInt16LE(2 * at) / 32_768)

/** By LAME in WebAssembly, loaded when somebody wants it. */
export const mp3Of = async (audio: Pcm): Promise<Buffer> => {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  const { sampleRate } = audio
  encoder.configure({ sampleRate, outputSampleRate: toMp3SampleRate(sampleRate), channels: 1, bitrate: 128 })
  const samples = samplesOf(audio)
  const parts: Buffer[] = []
  for (let from = 0; from < samples.length; from += slice) {
    // What is handed out is overwritten by the next.
    parts.push(Buffer.from(encoder.encode([samples.subarray(from, from + slice)])))
    await setImmediate()
  }
  return Buffer.concat([...parts, encoder.finalize()])
}

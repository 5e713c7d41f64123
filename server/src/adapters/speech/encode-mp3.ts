import { setImmediate } from 'node:timers/promises'
import type { Audio } from './speech.ts'

/**
 * Encodes raw audio as MP3 (docs/reference/platform-api/speech.md#synthesis): mono, 128 kbit/s. At 8000 Hz the format
 * allows 64 kbit/s at most.
 */

type Pcm = Extract<Audio, { type: 'pcm' }>

const rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** Returns the sample rate to encode at: the next higher rate that MP3 supports. */
export const toMp3SampleRate = (sampleRate: number) => rates.find((rate) => rate >= sampleRate) ?? 48_000

/** Number of samples encoded without yielding to the event loop, which is a few milliseconds of work. */
const samplesPerSlice = 16_384

const toFloatSamples = ({ content }: Pcm): Float32Array =>
  Float32Array.from({ length: Math.floor(content.length / 2) }, (_, at) => content.readInt16LE(2 * at) / 32_768)

/** Encodes PCM as MP3 with LAME in WebAssembly. The encoder is loaded on first use. */
export const encodeMp3 = async (audio: Pcm): Promise<Buffer> => {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  const { sampleRate } = audio
  encoder.configure({ sampleRate, outputSampleRate: toMp3SampleRate(sampleRate), channels: 1, bitrate: 128 })
  const samples = toFloatSamples(audio)
  const parts: Buffer[] = []
  for (let from = 0; from < samples.length; from += samplesPerSlice) {
    // The encoder reuses its output buffer, so each part must be copied.
    parts.push(Buffer.from(encoder.encode([samples.subarray(from, from + samplesPerSlice)])))
    await setImmediate()
  }
  return Buffer.concat([...parts, encoder.finalize()])
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { WasmMediaEncoder } from 'wasm-media-encoders'

/** MP3 encoding by LAME in WebAssembly. Runs in the processes of encoder-pool.ts. A second of audio takes a few milliseconds. */

const sampleBytes = 2

const extractChannel = (samples: DataView, channel: number, channels: number): Float32Array =>
  Float32Array.from(
    { length: samples.byteLength / sampleBytes / channels },
    (_, at) => samples.getInt16((at * channels + channel) * sampleBytes, true) / 32_768,
  )

const rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** Returns the sample rate to encode at: the next higher rate that MP3 supports. */
const toMp3SampleRate = (sampleRate: number) => rates.find((rate) => rate >= sampleRate) ?? 48_000

const require = createRequire(import.meta.url)
type Lame = Parameters<typeof WasmMediaEncoder.create>[1]

/** The WebAssembly module, compiled on first use and shared by all encoders of the process. */
let compiled: Lame

/** Raw audio: 16-bit little-endian samples, with interleaved channels. */
export interface PcmFormat {
  sampleRate: number
  channels: 1 | 2
}

export interface Mp3Encoder {
  /** The next call of `encode` or `end` overwrites the returned buffer. */
  encode(samples: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** Creates an encoder with 128 kbit/s, or the highest bit rate that MP3 supports at this sample rate. */
export const createMp3Encoder = async ({ sampleRate, channels }: PcmFormat): Promise<Mp3Encoder> => {
  const { createEncoder: create } = await import('wasm-media-encoders')
  const lame = compiled ?? (await readFile(require.resolve('wasm-media-encoders/wasm/mp3')))
  const encoder = await create('audio/mpeg', lame, (module) => {
    compiled = module
  })
  encoder.configure({ sampleRate, outputSampleRate: toMp3SampleRate(sampleRate), channels, bitrate: 128 })
  return {
    encode({ buffer, byteOffset, byteLength }) {
      const samples = new DataView(buffer, byteOffset, byteLength)
      const left = extractChannel(samples, 0, channels)
      return encoder.encode(channels === 1 ? [left] : [left, extractChannel(samples, 1, channels)])
    },
    end: () => encoder.finalize(),
  }
}

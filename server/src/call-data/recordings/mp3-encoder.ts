import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { WasmMediaEncoder } from 'wasm-media-encoders'
import { toMp3SampleRate } from '../../adapters/speech/encode-mp3.ts'
import { channelCount, pairBytes } from './pcm-format.ts'

/** MP3 encoding on the worker threads. A second of audio takes a few milliseconds. */

const extractChannel = (samples: DataView, channel: number): Float32Array =>
  Float32Array.from(
    { length: samples.byteLength / pairBytes },
    (_, at) => samples.getInt16(at * pairBytes + 2 * channel, true) / 32_768,
  )

const require = createRequire(import.meta.url)
type Lame = Parameters<typeof WasmMediaEncoder.create>[1]

/** The WebAssembly module, compiled on first use and shared by all recordings of the thread. */
let compiled: Lame

export interface Mp3Encoder {
  /** The next call of `encode` or `end` overwrites the returned buffer. */
  encode(samples: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** Creates an encoder with 128 kbit/s, or the highest bit rate that MP3 supports at this sample rate. */
export const createMp3Encoder = async (sampleRate: number): Promise<Mp3Encoder> => {
  const { createEncoder: create } = await import('wasm-media-encoders')
  const lame = compiled ?? (await readFile(require.resolve('wasm-media-encoders/wasm/mp3')))
  const encoder = await create('audio/mpeg', lame, (module) => {
    compiled = module
  })
  encoder.configure({ sampleRate, outputSampleRate: toMp3SampleRate(sampleRate), channels: channelCount, bitrate: 128 })
  return {
    encode({ buffer, byteOffset, byteLength }) {
      const samples = new DataView(buffer, byteOffset, byteLength)
      return encoder.encode([extractChannel(samples, 0), extractChannel(samples, 1)])
    },
    end: () => encoder.finalize(),
  }
}

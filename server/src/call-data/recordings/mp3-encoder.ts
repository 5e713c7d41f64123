import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { WasmMediaEncoder } from 'wasm-media-encoders'
import { toMp3SampleRate } from '../../adapters/speech/encode-mp3.ts'
import { channelCount, pairBytes } from './pcm-format.ts'

/** What the encoding threads do: some milliseconds of work for a second of audio. */

const channelOf = (samples: DataView, channel: number): Float32Array =>
  Float32Array.from(
    { length: samples.byteLength / pairBytes },
    (_, at) => samples.getInt16(at * pairBytes + 2 * channel, true) / 32_768,
  )

const require = createRequire(import.meta.url)
type Lame = Parameters<typeof WasmMediaEncoder.create>[1]

/** Compiled when it is first needed, for all who record. */
let compiled: Lame

export interface Mp3Encoder {
  /** What is answered is overwritten by the next, as is what `end` answers. */
  encode(samples: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** 128 kbit/s, or as many as the format has at that rate. */
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
      return encoder.encode([channelOf(samples, 0), channelOf(samples, 1)])
    },
    end: () => encoder.finalize(),
  }
}

import type { RecordFormat } from '@patchbay/contract/rules/recording-storage'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { WasmMediaEncoder } from 'wasm-media-encoders'
import { mp3RateOf } from '../speech/mp3.ts'

/** What is recorded, as a file: 16 bit little-endian samples of two channels, in turn (api/4-calls-and-hosted.md §2.8). */

export interface Encoder {
  /** what stands before so many bytes of encoded audio */
  head(bytes: number): Buffer
  /** What is answered is overwritten by the next. Of whole pairs of samples. */
  encode(samples: Buffer): Uint8Array
  /** what is still to come */
  end(): Uint8Array
}

const channels = 2
/** bytes of a sample of each channel */
export const pairBytes = 2 * channels

const nothing = new Uint8Array(0)

/** RIFF WAVE (Multimedia Programming Interface and Data Specifications 1.0): its sizes are 32 bit. */
const wavHead = (sampleRate: number, bytes: number): Buffer => {
  const head = Buffer.alloc(44)
  const size = Math.min(bytes, 0xff_ff_ff_ff - 36)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(size + 36, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * pairBytes, 28)
  head.writeUInt16LE(pairBytes, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(size, 40)
  return head
}

const wavEncoder = (sampleRate: number): Encoder => ({
  head: (bytes) => wavHead(sampleRate, bytes),
  encode: (samples) => samples,
  end: () => nothing,
})

const channelOf = (samples: Buffer, channel: number): Float32Array =>
  Float32Array.from(
    { length: samples.length / pairBytes },
    (_, at) => samples.readInt16LE(at * pairBytes + 2 * channel) / 32_768,
  )

const require = createRequire(import.meta.url)
type Lame = Parameters<typeof WasmMediaEncoder.create>[1]

/** Compiled when it is first needed, for all who record. */
let compiled: Lame

/** 128 kbit/s, or as many as the format has at that rate. */
const mp3Encoder = async (sampleRate: number): Promise<Encoder> => {
  const { createEncoder: create } = await import('wasm-media-encoders')
  const lame = compiled ?? (await readFile(require.resolve('wasm-media-encoders/wasm/mp3')))
  const encoder = await create('audio/mpeg', lame, (module) => {
    compiled = module
  })
  encoder.configure({ sampleRate, outputSampleRate: mp3RateOf(sampleRate), channels, bitrate: 128 })
  return {
    head: () => Buffer.alloc(0),
    encode: (samples) => encoder.encode([channelOf(samples, 0), channelOf(samples, 1)]),
    end: () => encoder.finalize(),
  }
}

export const createEncoder = (format: RecordFormat, sampleRate: number): Promise<Encoder> =>
  format === 'wav' ? Promise.resolve(wavEncoder(sampleRate)) : mp3Encoder(sampleRate)

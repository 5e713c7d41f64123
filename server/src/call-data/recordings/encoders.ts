import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import type { Mp3Stream } from '../../adapters/mp3/encoder-pool.ts'
import { openMp3Recording } from './mp3-recording.ts'
import { channelCount, pairBytes } from './pcm-format.ts'

/**
 * Encoders for recorded audio: 16-bit little-endian samples of two interleaved channels
 * (docs/reference/platform-api/recordings.md#recording-websocket).
 */

export interface Encoder extends Mp3Stream {
  /** Returns the file header for this many bytes of encoded audio. */
  head(bytes: number): Buffer
}

const noBytes = new Uint8Array(0)
const emptyHead = Buffer.alloc(0)

/**
 * Creates a RIFF WAVE header (Multimedia Programming Interface and Data Specifications 1.0), in which sizes are 32 bit.
 */
const wavHead = (sampleRate: number, bytes: number): Buffer => {
  const head = Buffer.alloc(44)
  const size = Math.min(bytes, 0xff_ff_ff_ff - 36)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(size + 36, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channelCount, 22)
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
  encode: (samples) => Promise.resolve(samples),
  end: () => Promise.resolve(noBytes),
  close: () => {},
})

const mp3Encoder = (sampleRate: number): Encoder => ({
  head: () => emptyHead,
  ...openMp3Recording(sampleRate),
})

/**
 * Creates the encoder of a format.
 * @param sampleRate samples per second and channel
 */
export const createEncoder = (format: RecordFormat, sampleRate: number): Encoder =>
  format === 'wav' ? wavEncoder(sampleRate) : mp3Encoder(sampleRate)

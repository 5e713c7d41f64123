import type { RecordFormat } from '@patchbay/contract/recordings/storage'

/** Decodes stored recordings piece by piece: MP3 by mpg123, and WAV with 16-bit samples. Runs in a helper process. */

/** A piece of audio. Samples are from -1 to 1. */
export interface AudioPiece {
  sampleRate: number
  channels: readonly Float32Array[]
}

export interface AudioDecoder {
  /** Samples that the encoder added before the first one, which `decode` leaves out. */
  delaySamples: number
  /**
   * Decodes a piece of the file. Returns undefined if it contains no complete sample.
   * @throws UnreadableAudio
   */
  decode(bytes: Uint8Array): AudioPiece | undefined
  close(): void
}

/** The file is not audio that can be decoded. */
export class UnreadableAudio extends Error {}

/** Recordings have between 8 kHz (telephone) and 48 kHz (Opus). */
const checkRate = (sampleRate: number): number => {
  if (sampleRate < 8000 || sampleRate > 48_000) throw new UnreadableAudio(`the sample rate is ${sampleRate} Hz`)
  return sampleRate
}

/**
 * Delay of the samples by encoder (576) and decoder (529), which a file without a tag of its encoder does not contain
 * (LAME technical FAQ). The server's own recordings have no tag.
 */
export const mp3DelaySamples = 1105

const createMp3Decoder = async (): Promise<AudioDecoder> => {
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  let remainingDelay = mp3DelaySamples
  return {
    delaySamples: mp3DelaySamples,
    decode(bytes) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(bytes)
      const skipped = Math.min(remainingDelay, samplesDecoded)
      remainingDelay -= skipped
      if (samplesDecoded === skipped) return undefined
      return { sampleRate: checkRate(sampleRate), channels: channelData.map((samples) => samples.subarray(skipped)) }
    },
    close: () => decoder.free(),
  }
}

interface WavFormat {
  sampleRate: number
  channelCount: number
}

/** Format 1 is PCM. Format 0xfffe is PCM with more fields. */
const pcmFormats = [1, 0xff_fe]
export const sampleBytes = 2
/** A header with more bytes before its samples is not that of a recording. */
export const maxHeaderBytes = 4096

/** Returns the format and the position of the samples, or undefined if the header is not complete. */
export const parseWavHeader = (bytes: Buffer): { format: WavFormat; samplesAt: number } | undefined => {
  let format: WavFormat | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [kind, size] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4)]
    if (kind === 'data') {
      if (format === undefined) throw new UnreadableAudio('the WAV file names no format')
      return { format, samplesAt: at + 8 }
    }
    if (kind === 'fmt ') {
      if (at + 24 > bytes.length) return undefined
      const isPcm = pcmFormats.includes(bytes.readUInt16LE(at + 8)) && bytes.readUInt16LE(at + 22) === 8 * sampleBytes
      if (!isPcm) throw new UnreadableAudio('the WAV file does not have 16-bit samples')
      format = { channelCount: bytes.readUInt16LE(at + 10), sampleRate: checkRate(bytes.readUInt32LE(at + 12)) }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

const toAudio = ({ sampleRate, channelCount }: WavFormat, bytes: Buffer): AudioPiece => {
  const length = bytes.length / sampleBytes / channelCount
  const channels = Array.from({ length: channelCount }, (_, channel) =>
    Float32Array.from({ length }, (__, at) => bytes.readInt16LE((at * channelCount + channel) * sampleBytes) / 32_768),
  )
  return { sampleRate, channels }
}

const createWavDecoder = (): AudioDecoder => {
  let rest = Buffer.alloc(0)
  let format: WavFormat | undefined
  return {
    delaySamples: 0,
    decode(bytes) {
      let unread = Buffer.concat([rest, bytes])
      if (format === undefined) {
        const header = parseWavHeader(unread)
        if (header === undefined) {
          if (unread.length > maxHeaderBytes) throw new UnreadableAudio('the WAV file has no samples')
          rest = unread
          return undefined
        }
        format = header.format
        unread = unread.subarray(header.samplesAt)
      }
      const complete = unread.length - (unread.length % (sampleBytes * Math.max(1, format.channelCount)))
      rest = Buffer.from(unread.subarray(complete))
      return complete === 0 ? undefined : toAudio(format, unread.subarray(0, complete))
    },
    close: () => {},
  }
}

/** Creates the decoder of a file. */
export const createAudioDecoder = async (format: RecordFormat): Promise<AudioDecoder> =>
  format === 'wav' ? createWavDecoder() : createMp3Decoder()

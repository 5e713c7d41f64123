import { type Mp3Stream, openMp3Stream } from '../../adapters/mp3/encoder-pool.ts'
import { HelperDied, repeatIfHelperDied } from '../../lib/helper-process.ts'
import { mp3DelaySamples } from './decode-audio.ts'
import { headerBytes, parseMp3Header } from './muting/mp3-frames.ts'
import { channelCount, pairBytes } from './pcm-format.ts'

/**
 * Encodes a recording as MP3, and loses none of its audio if the process of its encoder dies: samples are kept until the
 * frames that contain them are complete. The next encoder begins with these samples. It adds the delay of an encoder, so
 * the recording becomes longer by 25 (44.1 kHz) to 138 ms (8 kHz).
 */

interface CompleteFrames {
  /** Position after them. */
  end: number
  /** Samples of each channel in them. */
  samples: number
  /** Undefined if there are none. */
  sampleRate: number | undefined
}

/** Finds the complete frames. Bytes that are no frames are left as they are. */
const findFrames = (bytes: Buffer): CompleteFrames => {
  let [end, samples] = [0, 0]
  let sampleRate: number | undefined
  while (end + headerBytes <= bytes.length) {
    const header = parseMp3Header(bytes, end)
    if (header === undefined) return { end: bytes.length, samples, sampleRate }
    if (end + header.size > bytes.length) break
    end += header.size
    samples += header.samples
    sampleRate = header.sampleRate
  }
  return { end, samples, sampleRate }
}

/** Opens the stream of a recording, which returns complete frames. */
export const openMp3Recording = (sampleRate: number): Mp3Stream => {
  const open = () => openMp3Stream({ sampleRate, channels: channelCount })
  let stream = open()
  /** Samples whose frames are not complete, of the current encoder. */
  let pendingSamples = Buffer.alloc(0)
  /** The beginning of a frame. */
  let incompleteFrame = Buffer.alloc(0)
  /** Samples that this encoder received before `pendingSamples`, and samples that it has encoded, at its own sample rate. */
  let [pendingStart, encodedSamples] = [0, 0]

  const dropSamplesBefore = (position: number): void => {
    const pairs = Math.max(0, Math.floor(position) - pendingStart)
    pendingSamples = Buffer.from(pendingSamples.subarray(pairs * pairBytes))
    pendingStart += pairs
  }
  const startAgain = (): void => {
    stream.close()
    stream = open()
    incompleteFrame = Buffer.alloc(0)
    pendingStart = 0
    encodedSamples = 0
  }
  /** Sends new samples to the encoder, and all pending ones to the next one if it dies. */
  const send = (samples: Uint8Array): Promise<Uint8Array> => {
    let unsent = samples
    return repeatIfHelperDied(async () => {
      try {
        return await stream.encode(unsent)
      } catch (error) {
        if (error instanceof HelperDied) {
          startAgain()
          unsent = pendingSamples
        }
        throw error
      }
    })
  }
  const toCompleteFrames = (encoded: Uint8Array): Buffer => {
    const bytes = Buffer.concat([incompleteFrame, encoded])
    const frames = findFrames(bytes)
    const { end } = frames
    incompleteFrame = Buffer.from(bytes.subarray(end))
    encodedSamples += frames.samples
    if (frames.sampleRate !== undefined)
      dropSamplesBefore(((encodedSamples - mp3DelaySamples) * sampleRate) / frames.sampleRate)
    return bytes.subarray(0, end)
  }
  return {
    async encode(samples) {
      pendingSamples = Buffer.concat([pendingSamples, samples])
      return toCompleteFrames(await send(samples))
    },
    async end() {
      try {
        return Buffer.concat([incompleteFrame, await stream.end()])
      } catch (error) {
        if (!(error instanceof HelperDied)) throw error
        startAgain()
        const encoded = await send(pendingSamples)
        return Buffer.concat([encoded, await stream.end()])
      }
    },
    close: () => stream.close(),
  }
}

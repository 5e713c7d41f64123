import type { Interval } from '@patchbay/rules/conversations/response-gap'
import { maxHeaderBytes, parseWavHeader, sampleBytes, UnreadableAudio } from '../decode-audio.ts'

/** Mutes channels of WAV files, by zeros in place of their samples. */

/** The muted ranges of each channel, in milliseconds since the beginning of the audio. Sorted, without overlaps. */
export type MutedChannels = readonly [readonly Interval[], readonly Interval[]]

const channelCount = 2
const frameBytes = channelCount * sampleBytes

export interface WavMuter {
  /** Mutes bytes from a position of the file on. Mutates them. */
  mute(bytes: Buffer, position: number): void
}

/**
 * Creates the muter of a file.
 * @param head the first bytes of the file
 * @throws UnreadableAudio if the file is not PCM with two channels
 */
export const createWavMuter = (head: Buffer, channels: MutedChannels): WavMuter => {
  const header = parseWavHeader(head.subarray(0, maxHeaderBytes))
  if (header === undefined) throw new UnreadableAudio('the WAV file has no samples')
  const { format, samplesAt } = header
  if (format.channelCount !== channelCount) throw new UnreadableAudio('the WAV file does not have two channels')
  const toByte = (sample: number): number => samplesAt + sample * frameBytes
  return {
    mute(bytes, position) {
      for (const [channel, ranges] of channels.entries())
        for (const { start, end } of ranges) {
          const first = toByte(Math.max(0, Math.floor((start * format.sampleRate) / 1000)))
          const until = Math.min(toByte(Math.ceil((end * format.sampleRate) / 1000)), position + bytes.length)
          // The first frame of which the bytes contain a part.
          const skipped = Math.max(0, Math.floor((position - first) / frameBytes)) * frameBytes
          for (let frame = first + skipped; frame < until; frame += frameBytes)
            for (let byte = frame + channel * sampleBytes; byte < frame + (channel + 1) * sampleBytes; byte += 1)
              if (byte >= position && byte < position + bytes.length) bytes[byte - position] = 0
        }
    },
  }
}

import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import type { Interval } from '@patchbay/rules/conversations/response-gap'
import { maxHeaderBytes } from '../decode-audio.ts'
import { checkMp3, muteMp3 } from './mute-mp3.ts'
import { createWavMuter, type MutedChannels } from './mute-wav.ts'

/** Mutes recordings while they are read. The muted file has the size of the stored one. */

/** Later bytes that can change bytes before them: data of frames that begins in earlier frames. */
const lookaheadBytes = 16_384
/** The start of a file, which contains its first frames. */
const headBytes = 65_536

/** Returns sorted intervals, joined if they overlap. */
const joinOverlapping = (intervals: readonly Interval[]): Interval[] => {
  const joined: Interval[] = []
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}

const readHead = async ({ size, read }: StoredBytes, bytes: number, signal: AbortSignal): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  if (size > 0) for await (const chunk of await read(0, Math.min(size, bytes) - 1, signal)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Yields the bytes of a range of a file that is read from its beginning. */
async function* slice(file: AsyncIterable<Buffer>, first: number, last: number): AsyncGenerator<Buffer> {
  let position = 0
  for await (const bytes of file) {
    const part = bytes.subarray(Math.max(0, first - position), last + 1 - position)
    position += bytes.length
    if (part.length > 0 && position > first) yield part
    if (position > last) return
  }
}

const openWav = async (file: StoredBytes, channels: MutedChannels, signal: AbortSignal): Promise<StoredBytes> => {
  const muter = createWavMuter(await readHead(file, maxHeaderBytes, signal), channels)
  return {
    size: file.size,
    read: async (first, last, readSignal) => {
      const stored = await file.read(first, last, readSignal)
      return (async function* () {
        let position = first
        for await (const chunk of stored) {
          const bytes = Buffer.from(chunk)
          muter.mute(bytes, position)
          position += bytes.length
          yield bytes
        }
      })()
    },
  }
}

const openMp3 = async (file: StoredBytes, channels: MutedChannels, signal: AbortSignal): Promise<StoredBytes> => {
  checkMp3(await readHead(file, headBytes, signal))
  return {
    size: file.size,
    read: async (first, last, readSignal) => {
      const end = Math.min(file.size - 1, last + lookaheadBytes)
      return slice(muteMp3(await file.read(0, end, readSignal), channels), first, last)
    },
  }
}

/**
 * Returns a recording in which parts of each channel are silent.
 * @param caller what is muted in the channel of the caller, in milliseconds since the beginning of the audio
 * @throws UnreadableAudio if the file cannot be muted
 */
export const muteRecording = (
  file: StoredBytes,
  format: RecordFormat,
  { caller, agent }: { caller: readonly Interval[]; agent: readonly Interval[] },
  signal: AbortSignal,
): Promise<StoredBytes> => {
  const channels = [joinOverlapping(caller), joinOverlapping(agent)] as const
  return format === 'wav' ? openWav(file, channels, signal) : openMp3(file, channels, signal)
}

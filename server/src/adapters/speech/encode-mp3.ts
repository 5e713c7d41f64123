import { repeatIfHelperDied } from '../../lib/helper-process.ts'
import { openMp3Stream } from '../mp3/encoder-pool.ts'
import type { Audio } from './speech.ts'

/**
 * Encodes raw audio as MP3 (docs/reference/platform-api/speech.md#synthesis): mono, 128 kbit/s. At 8000 Hz the format
 * allows 64 kbit/s at most.
 */

type Pcm = Extract<Audio, { type: 'pcm' }>

/** Size of a piece that is encoded in one step, which takes a few milliseconds. */
const pieceBytes = 32 * 1024

const encode = async ({ content, sampleRate }: Pcm): Promise<Buffer> => {
  const stream = openMp3Stream({ sampleRate, channels: 1 })
  try {
    const parts: Uint8Array[] = []
    const completeBytes = content.length - (content.length % 2)
    for (let from = 0; from < completeBytes; from += pieceBytes)
      parts.push(await stream.encode(content.subarray(from, Math.min(from + pieceBytes, completeBytes))))
    return Buffer.concat([...parts, await stream.end()])
  } finally {
    stream.close()
  }
}

/** Encodes PCM as MP3 in a helper process. */
export const encodeMp3 = (audio: Pcm): Promise<Buffer> => repeatIfHelperDied(() => encode(audio))

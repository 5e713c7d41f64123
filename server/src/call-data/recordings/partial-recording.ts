import { open, rm } from 'node:fs/promises'
import type { RunStep } from '../../lib/fair-queue.ts'
import type { Encoder } from './encoders.ts'
import { pairBytes } from './pcm-format.ts'

/** A recording in progress. The file can be completed even if its writer is killed. */
export interface Draft {
  /** Writes samples. A chunk may end in the middle of a sample pair. */
  write(samples: Buffer): Promise<void>
  /** Returns the current file size in bytes. */
  size(): number
  /** Completes the file. Returns false, and deletes the file, if it contains no audio. */
  finish(): Promise<boolean>
}

/** Size of the chunks that are encoded in one step, which takes a few milliseconds. */
const chunkBytes = 4096 * pairBytes

/**
 * Creates the file of a new recording.
 * @param runStep runs each step of the encoding, so that recordings share the encoder fairly
 * @throws Error if the file exists
 */
export const createDraft = async (file: string, encoder: Encoder, runStep: RunStep): Promise<Draft> => {
  const handle = await open(file, 'wx+', 0o600)
  const headBytes = encoder.head(0).length
  let at = headBytes
  /** The beginning of a sample pair that has not been received completely. */
  let incompletePair: Buffer = Buffer.alloc(0)
  let hasSamples = false
  let isFailed = false

  const append = async (encoded: Uint8Array): Promise<void> => {
    for (let from = 0; from < encoded.length; ) {
      const { bytesWritten } = await handle.write(encoded, from, encoded.length - from, at)
      from += bytesWritten
      at += bytesWritten
    }
  }
  const end = async (): Promise<void> => {
    // After a failed write, such as on a full disk, the file ends with what was written before.
    if (!isFailed) await append(await encoder.end())
    const head = encoder.head(at - headBytes)
    await handle.write(head, 0, head.length, 0)
  }
  return {
    async write(samples) {
      const available = incompletePair.length === 0 ? samples : Buffer.concat([incompletePair, samples])
      const completeBytes = available.length - (available.length % pairBytes)
      incompletePair = Buffer.from(available.subarray(completeBytes))
      hasSamples ||= completeBytes > 0
      try {
        for (let from = 0; from < completeBytes; from += chunkBytes)
          await runStep(async () =>
            append(await encoder.encode(available.subarray(from, Math.min(from + chunkBytes, completeBytes)))),
          )
      } catch (error) {
        isFailed = true
        throw error
      }
    },
    size: () => at,
    async finish() {
      try {
        if (hasSamples) await end()
      } finally {
        encoder.close()
        await handle.close()
      }
      const hasAudio = at > headBytes
      if (!hasAudio) await rm(file, { force: true })
      return hasAudio
    },
  }
}

/**
 * Completes the file of a draft whose writer was killed. Returns false, and deletes the file, if it contains no audio.
 */
export const repairDraft = async (file: string, encoder: Encoder): Promise<boolean> => {
  const handle = await open(file, 'r+')
  let bytes: number
  try {
    bytes = (await handle.stat()).size - encoder.head(0).length
    const head = encoder.head(Math.max(0, bytes - (bytes % pairBytes)))
    if (bytes > 0) await handle.write(head, 0, head.length, 0)
  } finally {
    await handle.close()
  }
  if (bytes <= 0) await rm(file, { force: true })
  return bytes > 0
}

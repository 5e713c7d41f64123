import { open, rm } from 'node:fs/promises'
import type { RunStep } from '../../lib/fair-queue.ts'
import type { Encoder } from './encoder-pool.ts'
import { pairBytes } from './pcm-format.ts'

/** A recording while it is made: a file that is whole when it is finished, whatever happened to its writer. */
export interface Draft {
  /** Samples, however they are cut. */
  write(samples: Buffer): Promise<void>
  /** Returns how many bytes the file has. */
  size(): number
  /** Answers whether there is anything in it; without, the file is gone. */
  finish(): Promise<boolean>
}

/** Encoded in one turn: a few milliseconds of work. */
const slice = 4096 * pairBytes

export const createDraft = async (file: string, encoder: Encoder, runStep: RunStep): Promise<Draft> => {
  const handle = await open(file, 'wx+', 0o600)
  const headBytes = encoder.head(0).length
  let at = headBytes
  /** of a pair of which the rest has not come */
  let rest: Buffer = Buffer.alloc(0)
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
    // What a full disk took is there already.
    if (!isFailed) await append(await encoder.end())
    const head = encoder.head(at - headBytes)
    await handle.write(head, 0, head.length, 0)
  }
  return {
    async write(samples) {
      const all = rest.length === 0 ? samples : Buffer.concat([rest, samples])
      const whole = all.length - (all.length % pairBytes)
      rest = Buffer.from(all.subarray(whole))
      hasSamples ||= whole > 0
      try {
        for (let from = 0; from < whole; from += slice)
          await runStep(async () => append(await encoder.encode(all.subarray(from, Math.min(from + slice, whole)))))
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

/** Makes a file of what was written of a draft whose writer is gone. Answers whether there is anything in it; without, the file is gone. */
export const mendDraft = async (file: string, encoder: Encoder): Promise<boolean> => {
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

import { hearMp3, tones } from '@patchbay/testkit/fake-recorder'
import type * as threadsModule from 'node:worker_threads'
import type { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { encodingThreads, threadEncoder } from './encoder-pool.ts'

const startedThreads = vi.hoisted((): Worker[] => [])
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof threadsModule>()
  class RecordedWorker extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args)
      startedThreads.push(this)
    }
  }
  return { ...threads, Worker: RecordedWorker }
})

/** Encodes pieces of `seconds` length one after the other, and calls `between` before each. */
const encodePieces = async (
  pieces: number,
  seconds: number,
  between?: (piece: number) => Promise<void>,
): Promise<Buffer> => {
  const encoder = threadEncoder(8000)
  const parts: Uint8Array[] = []
  for (let piece = 0; piece < pieces; piece += 1) {
    await between?.(piece)
    parts.push(await encoder.encode(tones([440, 1000], seconds)))
  }
  parts.push(await encoder.end())
  encoder.close()
  return Buffer.concat(parts)
}

test('a hundred concurrent recordings are each encoded completely by a few threads', async () => {
  const files = await Promise.all(Array.from({ length: 100 }, () => encodePieces(3, 1)))
  for (const file of files) expect(Math.abs((await hearMp3(file)).seconds - 3)).toBeLessThan(0.3)
  expect(startedThreads).toHaveLength(encodingThreads)
})

test('a new thread continues the recordings of a thread that ends', async () => {
  const before = startedThreads.length
  const file = await encodePieces(8, 1, async (piece) => {
    if (piece === 1) await Promise.all(startedThreads.map((thread) => thread.terminate()))
  })
  const { seconds, hertz } = await hearMp3(file)
  expect(Math.abs(seconds - 8)).toBeLessThan(0.5)
  expect(Math.abs((hertz[0] ?? 0) - 440)).toBeLessThan(10)
  expect(startedThreads).toHaveLength(before + 1)
})

test('a piece is encoded again if its thread ends in the middle', async () => {
  const encoder = threadEncoder(8000)
  await encoder.encode(tones([440, 1000], 1))
  const piece = encoder.encode(tones([440, 1000], 2))
  await Promise.all(startedThreads.map((thread) => thread.terminate()))
  const file = Buffer.concat([await piece, await encoder.end()])
  encoder.close()
  expect(Math.abs((await hearMp3(file)).seconds - 2)).toBeLessThan(0.3)
})

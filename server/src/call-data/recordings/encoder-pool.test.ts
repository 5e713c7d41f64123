import { hearMp3, tones } from '@patchbay/testkit/fake-recorder'
import type * as threadsModule from 'node:worker_threads'
import type { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { encodingThreads, threadEncoder } from './encoder-pool.ts'

const started = vi.hoisted((): Worker[] => [])
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof threadsModule>()
  class Seen extends threads.Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      started.push(this)
    }
  }
  return { ...threads, Worker: Seen }
})

/** Pieces of so many seconds, encoded one after the other; `between` is told which comes next. */
const encoded = async (
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

test('a hundred recordings at once are encoded by a few threads, each whole', async () => {
  const made = await Promise.all(Array.from({ length: 100 }, () => encoded(3, 1)))
  for (const file of made) expect(Math.abs((await hearMp3(file)).seconds - 3)).toBeLessThan(0.3)
  expect(started).toHaveLength(encodingThreads)
})

test('a thread that ends is followed by another, which goes on where it ended', async () => {
  const before = started.length
  const file = await encoded(8, 1, async (piece) => {
    if (piece === 1) await Promise.all(started.map((thread) => thread.terminate()))
  })
  const { seconds, hertz } = await hearMp3(file)
  expect(Math.abs(seconds - 8)).toBeLessThan(0.5)
  expect(Math.abs((hertz[0] ?? 0) - 440)).toBeLessThan(10)
  expect(started).toHaveLength(before + 1)
})

test('one that ends in the middle of a piece begins that anew', async () => {
  const encoder = threadEncoder(8000)
  await encoder.encode(tones([440, 1000], 1))
  const piece = encoder.encode(tones([440, 1000], 2))
  await Promise.all(started.map((thread) => thread.terminate()))
  const file = Buffer.concat([await piece, await encoder.end()])
  encoder.close()
  expect(Math.abs((await hearMp3(file)).seconds - 2)).toBeLessThan(0.3)
})

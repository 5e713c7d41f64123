import { ApiError } from '@patchbay/contract/errors'
import { setImmediate as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const codeOf = (error: unknown): unknown => (error instanceof ApiError ? error.code : error)

/** A piece of work that ends when it is told to. */
const piece = () => {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: () => done }
}

test('owners take turns, whoever came first', async () => {
  const queue = createFairQueue({ concurrency: 1, max: 600 })
  const ended: string[] = []
  const ask = (owner: string) =>
    queue.run(owner, async (runStep) => {
      await runStep(later)
      await runStep(later)
      ended.push(owner)
    })
  await Promise.all([...Array.from({ length: 600 }, () => ask('A')), ask('B'), ask('C')])
  expect(ended.indexOf('B')).toBeLessThan(4)
  expect(ended.indexOf('C')).toBeLessThan(4)
  expect(ended).toHaveLength(602)
})

test('what an owner has begun is ended before its next begins', async () => {
  const queue = createFairQueue({ concurrency: 1, max: 10 })
  const done: string[] = []
  const ask = (name: string) =>
    queue.run('A', async (runStep) => {
      for (const part of [1, 2]) await runStep(async () => void done.push(`${name}${part}`))
    })
  await Promise.all([ask('a'), ask('b')])
  expect(done).toEqual(['a1', 'a2', 'b1', 'b2'])
})

test('no more are at work at a time than may be', async () => {
  const queue = createFairQueue({ concurrency: 2, max: 10 })
  let atWork = 0
  const seen: number[] = []
  const ask = (owner: string) =>
    queue.run(owner, (runStep) =>
      runStep(async () => {
        atWork += 1
        seen.push(atWork)
        await later()
        atWork -= 1
      }),
    )
  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`owner ${index % 3}`)))
  expect(Math.max(...seen)).toBe(2)
})

test('an owner with too much here is refused at once, another is not, and later it is let in again', async () => {
  const queue = createFairQueue({ concurrency: 1, max: 2 })
  const first = piece()
  const held = [first.work, later].map((work) => queue.run('A', (runStep) => runStep(work)))
  await expect(queue.run('A', (runStep) => runStep(later)).catch(codeOf)).resolves.toBe('too_much_at_once')
  const other = queue.run('B', (runStep) => runStep(async () => 'done'))
  first.end()
  await expect(other).resolves.toBe('done')
  await Promise.all(held)
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

test('who has gone is dropped while it waits, and ends between two pieces', async () => {
  const queue = createFairQueue({ concurrency: 1, max: 10 })
  const disconnect = new AbortController()
  const first = piece()
  const done: string[] = []
  const begun = queue.run(
    'A',
    async (runStep) => {
      await runStep(first.work)
      done.push('first')
      await runStep(async () => void done.push('second'))
    },
    disconnect.signal,
  )
  const waiting = queue.run('A', (runStep) => runStep(async () => void done.push('waited')), disconnect.signal)
  await later()
  disconnect.abort()
  await expect(waiting.catch(codeOf)).resolves.toBe('client_closed_request')
  first.end()
  await expect(begun.catch(codeOf)).resolves.toBe('client_closed_request')
  expect(done).toEqual(['first'])
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

test('much work that never waits leaves time for other things', async () => {
  const queue = createFairQueue({ concurrency: 2, max: 100 })
  let done = 0
  const work = Array.from({ length: 100 }, () => queue.run('A', (runStep) => runStep(async () => void (done += 1))))
  await later()
  await later()
  expect(done).toBeLessThan(10)
  await Promise.all(work)
  expect(done).toBe(100)
})

test('work that fails makes room for the next', async () => {
  const queue = createFairQueue({ concurrency: 1, max: 1 })
  const fail = () => Promise.reject(new Error('no'))
  await expect(queue.run('A', (runStep) => runStep(fail))).rejects.toThrow('no')
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

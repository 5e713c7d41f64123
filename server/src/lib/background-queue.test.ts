import { expect, test } from 'vitest'
import { type BackgroundQueueOptions, createBackgroundQueue } from './background-queue.ts'

const createQueue = (options: Partial<BackgroundQueueOptions> = {}) => {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const errors: unknown[] = []
  const queue = createBackgroundQueue({
    name: 'test',
    fastConcurrency: 2,
    slowConcurrency: 2,
    maxPerTenant: 1,
    slowAfterMs: 60_000,
    onError: (error) => errors.push(error),
    ...options,
  })
  const add = (key: string, isSuspect = false) =>
    queue.add({
      key,
      tenant: key.slice(0, 1),
      isSuspect,
      run: () => {
        started.push(key)
        return new Promise((resolve) => {
          finish.set(key, resolve)
        })
      },
    })
  const end = async (key: string) => {
    finish.get(key)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { queue, started, errors, add, end }
}

test('runs one job per tenant before it runs the next one of any', async () => {
  const { started, add, end } = createQueue()
  for (const key of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(key)
  expect(started).toEqual(['a1', 'b1'])
  await end('a1')
  await end('b1')
  await end('c1')
  await end('a2')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('ignores a job if one with the same key is waiting or running', async () => {
  const { started, add, end } = createQueue()
  add('a1')
  add('a1')
  await end('a1')
  expect(started).toEqual(['a1'])
  add('a1')
  expect(started).toEqual(['a1', 'a1'])
})

test('runs suspect jobs only in the slow lane', async () => {
  const { started, add, end } = createQueue()
  for (const key of ['a1', 'b1', 'c1']) add(key, true)
  expect(started).toEqual(['a1', 'b1'])
  for (const key of ['d1', 'e1', 'f1']) add(key)
  expect(started).toEqual(['a1', 'b1', 'd1', 'e1'])
  await end('d1')
  expect(started).toEqual(['a1', 'b1', 'd1', 'e1', 'f1'])
  await end('a1')
  expect(started.at(-1)).toBe('c1')
})

test('moves long-running jobs to the slow lane if it has room', async () => {
  const { started, add, end } = createQueue({ slowAfterMs: 1 })
  for (const key of ['a1', 'b1', 'c1', 'd1', 'e1']) add(key)
  await expect.poll(() => started).toEqual(['a1', 'b1', 'c1', 'd1'])
  await end('a1')
  await expect.poll(() => started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
})

test('reports the error of a job and continues', async () => {
  const { queue, started, errors, add } = createQueue({ fastConcurrency: 1 })
  const failure = new Error('no route to host')
  queue.add({ key: 'x', tenant: 'x', isSuspect: false, run: () => Promise.reject(failure) })
  add('a1')
  await expect.poll(() => started).toEqual(['a1'])
  expect(errors).toEqual([failure])
})

test('settles when no job is waiting or running, even after it was cleared', async () => {
  const { queue, started, add, end } = createQueue({ fastConcurrency: 1 })
  await queue.settled()
  add('a1')
  add('b1')
  queue.clear()
  const settled = queue.settled()
  await end('a1')
  await settled
  expect(started).toEqual(['a1'])
})

import { ApiError } from '@patchbay/contract/errors'
import { setImmediate as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const getErrorCode = (error: unknown): unknown => (error instanceof ApiError ? error.code : error)

/** Creates a step that runs until `end` is called. */
const createStep = () => {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: () => done }
}

test('alternates between tenants, regardless of the order of their jobs', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 600 })
  const ended: string[] = []
  const submit = (owner: string) =>
    queue.run(owner, async (runStep) => {
      await runStep(later)
      await runStep(later)
      ended.push(owner)
    })
  await Promise.all([...Array.from({ length: 600 }, () => submit('A')), submit('B'), submit('C')])
  expect(ended.indexOf('B')).toBeLessThan(4)
  expect(ended.indexOf('C')).toBeLessThan(4)
  expect(ended).toHaveLength(602)
})

test("finishes a started job before the tenant's next one", async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 10 })
  const done: string[] = []
  const submit = (name: string) =>
    queue.run('A', async (runStep) => {
      for (const part of [1, 2]) await runStep(async () => void done.push(`${name}${part}`))
    })
  await Promise.all([submit('a'), submit('b')])
  expect(done).toEqual(['a1', 'a2', 'b1', 'b2'])
})

test('runs at most `concurrency` steps at the same time', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 2, max: 10 })
  let running = 0
  const counts: number[] = []
  const submit = (owner: string) =>
    queue.run(owner, (runStep) =>
      runStep(async () => {
        running += 1
        counts.push(running)
        await later()
        running -= 1
      }),
    )
  await Promise.all(Array.from({ length: 10 }, (_, index) => submit(`owner ${index % 3}`)))
  expect(Math.max(...counts)).toBe(2)
})

test('rejects a tenant with too many jobs, but no other tenant, until one of them has ended', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 2 })
  const first = createStep()
  const jobs = [first.work, later].map((work) => queue.run('A', (runStep) => runStep(work)))
  await expect(queue.run('A', (runStep) => runStep(later)).catch(getErrorCode)).resolves.toBe('too_much_at_once')
  const other = queue.run('B', (runStep) => runStep(async () => 'done'))
  first.end()
  await expect(other).resolves.toBe('done')
  await Promise.all(jobs)
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

test('cancels waiting jobs and the next step of a started job when the client disconnects', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 10 })
  const disconnect = new AbortController()
  const first = createStep()
  const done: string[] = []
  const startedJob = queue.run(
    'A',
    async (runStep) => {
      await runStep(first.work)
      done.push('first')
      await runStep(async () => void done.push('second'))
    },
    disconnect.signal,
  )
  const waitingJob = queue.run('A', (runStep) => runStep(async () => void done.push('waited')), disconnect.signal)
  await later()
  disconnect.abort()
  await expect(waitingJob.catch(getErrorCode)).resolves.toBe('client_closed_request')
  first.end()
  await expect(startedJob.catch(getErrorCode)).resolves.toBe('client_closed_request')
  expect(done).toEqual(['first'])
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

test('lets other work run between steps that never wait', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 2, max: 100 })
  let done = 0
  const work = Array.from({ length: 100 }, () => queue.run('A', (runStep) => runStep(async () => void (done += 1))))
  await later()
  await later()
  expect(done).toBeLessThan(10)
  await Promise.all(work)
  expect(done).toBe(100)
})

test('frees the slot of a failed job', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 1 })
  const fail = () => Promise.reject(new Error('no'))
  await expect(queue.run('A', (runStep) => runStep(fail))).rejects.toThrow('no')
  await expect(queue.run('A', (runStep) => runStep(async () => 'done'))).resolves.toBe('done')
})

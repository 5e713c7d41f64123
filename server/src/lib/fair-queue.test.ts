import { setImmediate as later } from 'node:timers/promises'
import { ApiError } from '@patchbay/contract/api/errors'
import { expect, test } from 'vitest'
import { createFairQueue, withoutSlot } from './fair-queue.ts'

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
  await expect(queue.run('A', (runStep) => runStep(later)).catch(getErrorCode)).resolves.toBe(
    'too_many_concurrent_requests',
  )
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

test('frees the slot of a step while it waits for something else, and continues it when a slot is free again', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 10 })
  const [waiting, other] = [createStep(), createStep()]
  const events: string[] = []
  const first = queue.run('A', (runStep) =>
    runStep(async () => {
      await Promise.all([withoutSlot(() => waiting.work()), withoutSlot(() => Promise.resolve())])
      events.push('A continues')
    }),
  )
  const second = queue.run('B', (runStep) =>
    runStep(async () => {
      events.push('B starts')
      await other.work()
      events.push('B ends')
    }),
  )
  await expect.poll(() => events).toEqual(['B starts'])
  waiting.end()
  for (let ticks = 0; ticks < 5; ticks += 1) await later()
  expect(events).toEqual(['B starts'])
  other.end()
  await Promise.all([first, second])
  expect(events).toEqual(['B starts', 'B ends', 'A continues'])
})

test('a step that fails while a part of it waits without a slot frees no slot twice, and keeps none', async () => {
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 10 })
  const part = createStep()
  let rest: Promise<void> = Promise.resolve()
  const failing = queue.run('A', (runStep) =>
    runStep(async () => {
      rest = withoutSlot(() => part.work())
      await later()
      throw new Error('another part failed')
    }),
  )
  await expect(failing).rejects.toThrow('another part failed')
  part.end()
  await rest
  let running = 0
  const counts: number[] = []
  const submit = (tenant: string) =>
    queue.run(tenant, (runStep) =>
      runStep(async () => {
        running += 1
        counts.push(running)
        await later()
        running -= 1
      }),
    )
  await Promise.all(['B', 'C', 'D'].map((tenant) => submit(tenant)))
  expect(counts).toEqual([1, 1, 1])
})

test('serves the tenant first that has used less', async () => {
  const costs = new Map([
    ['A', 5],
    ['B', 1],
  ])
  const queue = createFairQueue({ name: 'test', concurrency: 1, max: 10, getCost: (tenant) => costs.get(tenant) ?? 0 })
  const done: string[] = []
  const submit = (tenant: string) =>
    queue.run(tenant, async (runStep) => {
      for (const part of [1, 2]) await runStep(async () => void done.push(`${tenant}${part}`))
    })
  const first = createStep()
  const blocking = queue.run('first', (runStep) => runStep(first.work))
  const others = ['A', 'B', 'C'].map((tenant) => submit(tenant))
  first.end()
  await Promise.all([blocking, ...others])
  expect(done).toEqual(['C1', 'C2', 'B1', 'B2', 'A1', 'A2'])
})

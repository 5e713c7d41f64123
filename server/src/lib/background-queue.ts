import { monotonicMs } from './clock.ts'
import { captureContext, withSpan } from './spans.ts'
import { queueEvents } from './telemetry.ts'

/**
 * Limits concurrent background work that depends on remote peers of tenants (webhooks, storages), so that peers that
 * hang delay only their own tenant.
 *
 * - Tenants take turns (round robin), and each has at most `maxPerTenant` running jobs.
 * - A job that runs longer than `slowAfterMs` moves to the slow lane and gives its place in the fast lane to another.
 * - A job whose peer failed the last time (`isSuspect`) only ever uses the slow lane.
 */
export interface BackgroundQueue {
  /** Queues a job, unless a job with the same key is waiting or running. */
  add(job: BackgroundJob): void
  /** Drops the jobs that have not started. */
  clear(): void
  /** Resolves when no job is waiting or running. */
  settled(): Promise<void>
}

export interface BackgroundJob {
  key: string
  tenant: string
  isSuspect: boolean
  run(): Promise<void>
}

export interface BackgroundQueueOptions {
  /** Label of the queue in metrics. */
  name: string
  /** Number of concurrent jobs whose peers did not fail the last time. */
  fastConcurrency: number
  /** Number of concurrent jobs that take long, or whose peers failed the last time. */
  slowConcurrency: number
  maxPerTenant: number
  slowAfterMs: number
  /** Called with the errors of jobs. */
  onError: (error: unknown) => void
}

type Lane = 'fast' | 'slow'

interface RunningJob {
  lane: Lane
  /** True if the job runs longer than `slowAfterMs`. It moves to the slow lane as soon as that has room. */
  isOverdue: boolean
}

export const createBackgroundQueue = ({
  name: queue,
  fastConcurrency,
  slowConcurrency,
  maxPerTenant,
  slowAfterMs,
  onError,
}: BackgroundQueueOptions): BackgroundQueue => {
  /** The waiting and running jobs, by key: when they were added, and a function that continues in the context of it. */
  const keys = new Map<string, { addedAt: number; inContext: ReturnType<typeof captureContext> }>()
  const waiting = new Map<string, BackgroundJob[]>()
  const runningByTenant = new Map<string, number>()
  /** In the order in which they started. */
  const running = new Set<RunningJob>()
  /** Sequence number of the last start of each tenant that still has jobs. */
  const lastStart = new Map<string, number>()
  let starts = 0
  let settledListeners: (() => void)[] = []

  const concurrency = { fast: fastConcurrency, slow: slowConcurrency }
  const hasRoom = (lane: Lane): boolean => [...running].filter((job) => job.lane === lane).length < concurrency[lane]
  const getLane = ({ isSuspect }: BackgroundJob): Lane => (isSuspect ? 'slow' : 'fast')

  const startableJob = (tenant: string, jobs: readonly BackgroundJob[]): BackgroundJob | undefined =>
    (runningByTenant.get(tenant) ?? 0) < maxPerTenant ? jobs.find((job) => hasRoom(getLane(job))) : undefined

  /** Removes and returns a job of the tenant whose last start was longest ago, or undefined if no job can start. */
  const takeNext = (): BackgroundJob | undefined => {
    let next: { job: BackgroundJob; startedAt: number } | undefined
    for (const [tenant, jobs] of waiting) {
      const startedAt = lastStart.get(tenant) ?? 0
      if (next !== undefined && next.startedAt <= startedAt) continue
      const job = startableJob(tenant, jobs)
      if (job !== undefined) next = { job, startedAt }
    }
    if (next === undefined) return undefined
    const { job } = next
    const others = waiting.get(job.tenant)?.filter((other) => other !== job) ?? []
    if (others.length > 0) waiting.set(job.tenant, others)
    else waiting.delete(job.tenant)
    return job
  }

  const moveOverdueJobs = (): void => {
    for (const job of running) if (job.lane === 'fast' && job.isOverdue && hasRoom('slow')) job.lane = 'slow'
  }

  const addRunning = (tenant: string, change: 1 | -1): void => {
    const count = (runningByTenant.get(tenant) ?? 0) + change
    if (count > 0) runningByTenant.set(tenant, count)
    else runningByTenant.delete(tenant)
  }

  const runJob = async (job: BackgroundJob): Promise<void> => {
    const state: RunningJob = { lane: getLane(job), isOverdue: false }
    running.add(state)
    const waitedMs = monotonicMs() - (keys.get(job.key)?.addedAt ?? 0)
    queueEvents.publish({ queue, is: 'started', waitedMs })
    addRunning(job.tenant, 1)
    lastStart.set(job.tenant, (starts += 1))
    const timer = setTimeout(() => {
      state.isOverdue = true
      startJobs()
    }, slowAfterMs)
    try {
      await withSpan({ name: `job ${queue}`, kind: 'internal' }, () => job.run())
    } catch (error) {
      onError(error)
    } finally {
      clearTimeout(timer)
      running.delete(state)
      queueEvents.publish({ queue, is: 'finished' })
      addRunning(job.tenant, -1)
      keys.delete(job.key)
      if (!waiting.has(job.tenant) && !runningByTenant.has(job.tenant)) lastStart.delete(job.tenant)
      startJobs()
    }
  }

  /** A job that ends starts the next one, which belongs to another request or another run of a periodic job. */
  const startJob = (job: BackgroundJob): void => keys.get(job.key)?.inContext(() => void runJob(job))

  const startJobs = (): void => {
    moveOverdueJobs()
    for (let job = takeNext(); job !== undefined; job = takeNext()) startJob(job)
    if (keys.size > 0) return
    for (const listener of settledListeners) listener()
    settledListeners = []
  }

  return {
    add(job) {
      if (keys.has(job.key)) return
      keys.set(job.key, { addedAt: monotonicMs(), inContext: captureContext() })
      queueEvents.publish({ queue, is: 'waiting' })
      const others = waiting.get(job.tenant)
      if (others) others.push(job)
      else waiting.set(job.tenant, [job])
      startJobs()
    },
    clear() {
      for (const { key } of [...waiting.values()].flat()) {
        keys.delete(key)
        queueEvents.publish({ queue, is: 'canceled' })
      }
      waiting.clear()
      startJobs()
    },
    settled: () =>
      keys.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            settledListeners.push(resolve)
          }),
  }
}

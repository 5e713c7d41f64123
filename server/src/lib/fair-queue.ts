import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from '@patchbay/contract/api/access'
import { ApiError } from '@patchbay/contract/api/errors'
import { monotonicMs } from './clock.ts'
import { queueEvents } from './telemetry.ts'
import { createTenantLimit } from './tenant-limit.ts'

/**
 * Limits concurrent work and shares the capacity fairly between tenants (round robin by key). A tenant that submits a
 * thousand jobs delays only itself, and the event loop runs between two steps.
 */

/** Runs a step of a job when a slot is free. */
export type RunStep = <T>(step: () => Promise<T>) => Promise<T>

export interface FairQueue {
  /**
   * Runs a job and returns its result. The job splits its work into steps. Each step waits for a free slot, so that
   * other tenants' steps run in between.
   *
   * @param isAdmitted whether another limit has admitted the job. If so, `max` does not apply
   * @throws ApiError `too_many_concurrent_requests` if the tenant already has `max` jobs running or waiting
   * @throws ApiError `client_closed_request` if `signal` aborts while a step waits
   */
  run<T>(tenant: string, work: (runStep: RunStep) => Promise<T>, signal?: AbortSignal, isAdmitted?: boolean): Promise<T>
}

/** The slot of the step that runs. */
interface Slot {
  /** Frees the slot. Returns a function that waits for a slot again. */
  release(): () => Promise<void>
}

const slots = new AsyncLocalStorage<Slot>()

/**
 * Runs work that waits for something else, such as the turn of a tenant in another queue. If it is a part of a step, the
 * slot of the step is free until the work is done, so that others do not wait with it.
 */
export const withoutSlot = async <T>(work: () => Promise<T>): Promise<T> => {
  const acquire = slots.getStore()?.release()
  try {
    return await work()
  } finally {
    await acquire?.()
  }
}

/** Returns the fairness key of a caller. All callers of an account share one key, as do all callers of a provider. */
export const fairnessKey = ({ account_sid, service_provider_sid, user_sid }: Actor): string =>
  account_sid ?? service_provider_sid ?? user_sid ?? 'admin'

/**
 * @param name label of the queue in metrics. Queues for the same purpose share one
 * @param concurrency number of steps that run concurrently, over all tenants
 * @param max number of jobs that a tenant can have running or waiting
 * @param getCost what a tenant has used recently. Tenants that have used less are served first
 */
export const createFairQueue = ({
  name: queue,
  concurrency,
  max,
  getCost = () => 0,
}: {
  name: string
  concurrency: number
  max: number
  getCost?: (tenant: string) => number
}): FairQueue => {
  const limit = createTenantLimit(max)
  /** Waiting steps by tenant. Of tenants with the same cost, the first is next. */
  const waiting = new Map<string, (() => void)[]>()
  let runningSteps = 0

  const startNext = (): void => {
    let next: [string, (() => void)[]] | undefined
    let minCost = Number.POSITIVE_INFINITY
    for (const entry of waiting) {
      const cost = getCost(entry[0])
      if (cost >= minCost) continue
      next = entry
      minCost = cost
    }
    if (next === undefined) {
      runningSteps -= 1
      return
    }
    const [tenant, [start, ...others]] = next
    waiting.delete(tenant)
    if (others.length > 0) waiting.set(tenant, others)
    start?.()
  }

  const finish = (): void => {
    if (queueEvents.isObserved) queueEvents.publish({ queue, is: 'finished' })
    if (waiting.size > 0) setImmediate(startNext)
    else runningSteps -= 1
  }

  const remove = (tenant: string, start: () => void): void => {
    const others = waiting.get(tenant)?.filter((other) => other !== start) ?? []
    if (others.length > 0) waiting.set(tenant, others)
    else waiting.delete(tenant)
  }

  /**
   * Waits for a slot. Steps of a job that has started run before the tenant's next job. Resolves with the milliseconds
   * that it waited, if waits are observed.
   */
  const wait = (tenant: string, hasStarted: boolean, signal: AbortSignal | undefined): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const queuedAt = queueEvents.isObserved ? monotonicMs() : undefined
      const cancel = () => {
        remove(tenant, start)
        if (queuedAt !== undefined) queueEvents.publish({ queue, is: 'canceled' })
        reject(new ApiError('client_closed_request'))
      }
      const start = () => {
        signal?.removeEventListener('abort', cancel)
        resolve(queuedAt === undefined ? undefined : monotonicMs() - queuedAt)
      }
      if (queuedAt !== undefined) queueEvents.publish({ queue, is: 'waiting' })
      if (signal?.aborted) return cancel()
      const others = waiting.get(tenant) ?? []
      waiting.set(tenant, hasStarted ? [start, ...others] : [...others, start])
      signal?.addEventListener('abort', cancel, { once: true })
      if (runningSteps >= concurrency) return
      runningSteps += 1
      setImmediate(startNext)
    })

  const createSlot = (tenant: string, signal: AbortSignal | undefined) => {
    let isHeld = true
    let isOver = false
    let releases = 0
    const acquire = async () => {
      releases -= 1
      if (releases > 0 || isOver) return
      const waitedMs = await wait(tenant, true, signal)
      if (waitedMs !== undefined) queueEvents.publish({ queue, is: 'started', waitedMs })
      // Another part of the step can have failed and ended the step.
      if (isOver) finish()
      else isHeld = true
    }
    return {
      release() {
        releases += 1
        if (isHeld) finish()
        isHeld = false
        return acquire
      },
      end() {
        isOver = true
        if (isHeld) finish()
      },
    }
  }

  const createRunStep = (tenant: string, signal: AbortSignal | undefined): RunStep => {
    let hasStarted = false
    return async (step) => {
      const waitedMs = await wait(tenant, hasStarted, signal)
      // Published here and not when the slot is assigned, because that happens in the context of the job before.
      if (waitedMs !== undefined) queueEvents.publish({ queue, is: 'started', waitedMs })
      hasStarted = true
      const slot = createSlot(tenant, signal)
      try {
        return await slots.run(slot, step)
      } finally {
        slot.end()
      }
    }
  }

  const admit = (tenant: string): (() => void) => {
    try {
      return limit.acquire(tenant)
    } catch (error) {
      queueEvents.publish({ queue, is: 'rejected' })
      throw error
    }
  }

  return {
    async run(tenant, work, signal, isAdmitted = false) {
      const release = isAdmitted ? undefined : admit(tenant)
      try {
        return await work(createRunStep(tenant, signal))
      } finally {
        release?.()
      }
    },
  }
}

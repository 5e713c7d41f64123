import type { Actor } from '@patchbay/contract/access'
import { ApiError } from '@patchbay/contract/errors'
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
   * @throws ApiError `too_much_at_once` if the tenant already has `max` jobs running or waiting
   * @throws ApiError `client_closed_request` if `signal` aborts while a step waits
   */
  run<T>(tenant: string, work: (runStep: RunStep) => Promise<T>, signal?: AbortSignal, isAdmitted?: boolean): Promise<T>
}

/** Returns the fairness key of a caller. All callers of an account share one key, as do all callers of a provider. */
export const fairnessKey = ({ account_sid, service_provider_sid, user_sid }: Actor): string =>
  account_sid ?? service_provider_sid ?? user_sid ?? 'admin'

/**
 * @param name label of the queue in metrics. Queues for the same purpose share one
 * @param concurrency number of steps that run concurrently, over all tenants
 * @param max number of jobs that a tenant can have running or waiting
 */
export const createFairQueue = ({
  name: queue,
  concurrency,
  max,
}: {
  name: string
  concurrency: number
  max: number
}): FairQueue => {
  const limit = createTenantLimit(max)
  /** Waiting steps by tenant. The first tenant is next. */
  const waiting = new Map<string, (() => void)[]>()
  let runningSteps = 0

  const startNext = (): void => {
    const [next] = waiting
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

  const createRunStep = (tenant: string, signal: AbortSignal | undefined): RunStep => {
    let hasStarted = false
    return async (step) => {
      const waitedMs = await wait(tenant, hasStarted, signal)
      // Published here and not when the slot is assigned, because that happens in the context of the job before.
      if (waitedMs !== undefined) queueEvents.publish({ queue, is: 'started', waitedMs })
      hasStarted = true
      try {
        return await step()
      } finally {
        finish()
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

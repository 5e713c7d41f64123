import { AsyncLocalStorage } from 'node:async_hooks'
import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import { exponentialBackoffMs } from '../lib/backoff.ts'

/**
 * Keeps a fault in one tenant's outgoing work from ending the process. Vendors' libraries throw from event handlers if
 * a peer misbehaves, and such an error cannot be caught where it occurs. The asynchronous context identifies the tenant
 * for which the handler ran: that tenant's work is aborted and paused. Other tenants are not affected.
 */

const pauseBackoff = { firstMs: minuteMs, maxMs: hourMs }

/** Thrown while a tenant's work is paused because of earlier faults. */
export class TenantPausedError extends Error {
  constructor(account_sid: string, remainingMs: number, cause: unknown) {
    super(`Requests of account ${account_sid} are paused for ${Math.ceil(remainingMs / 1000)} s after a fault`, {
      cause,
    })
    this.name = 'TenantPausedError'
  }
}

/** A fault during a tenant's work that was thrown where it could not be caught. */
export class TenantFaultError extends Error {
  constructor(cause: unknown) {
    super('A library failed unexpectedly while handling a response', { cause })
    this.name = 'TenantFaultError'
  }
}

/** Returns whether work of a tenant failed, or did not start, because of a fault. */
export const isTenantError = (error: unknown): error is TenantFaultError | TenantPausedError =>
  error instanceof TenantFaultError || error instanceof TenantPausedError

interface Work {
  account_sid: string
  fault: AbortController
}

interface Pause {
  faults: number
  /** Milliseconds on the monotonic clock. */
  until: number
  cause: unknown
}

export interface HandledError {
  account_sid: string
  pausedSeconds: number
}

export interface TenantErrorGuard {
  /**
   * Runs outgoing work of a tenant. A fault that is attributed to it rejects the promise and aborts the signal.
   *
   * @throws TenantPausedError if the tenant's work is paused
   * @throws TenantFaultError if a fault is attributed to this work
   */
  run<T>(account_sid: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Returns the tenant that the current work belongs to. */
  currentTenant(): string | undefined
  /**
   * Must be called by the process's handler of uncaught errors. Aborts the work in which the error was thrown and
   * pauses the tenant: 1 minute, doubled by each further fault, at most 1 hour. Returns undefined if the error was not
   * thrown in work of a tenant.
   */
  handle(error: unknown): HandledError | undefined
}

/**
 * Creates a guard that attributes uncaught errors of libraries to the tenant whose work caused them.
 * @param now returns milliseconds on a monotonic clock
 */
export const createTenantErrorGuard = (now: () => number = () => performance.now()): TenantErrorGuard => {
  const context = new AsyncLocalStorage<Work>()
  const pauses = new Map<string, Pause>()

  /** If work that started after the pause succeeds, the tenant's peers have recovered. */
  const succeeded = (account_sid: string, startedAt: number): void => {
    if ((pauses.get(account_sid)?.until ?? Infinity) <= startedAt) pauses.delete(account_sid)
  }

  return {
    async run(account_sid, work) {
      const startedAt = now()
      const pause = pauses.get(account_sid)
      if (pause && pause.until > startedAt)
        throw new TenantPausedError(account_sid, pause.until - startedAt, pause.cause)
      const fault = new AbortController()
      const faulted = new Promise<never>((_, reject) => {
        fault.signal.addEventListener('abort', () => reject(fault.signal.reason as Error), { once: true })
      })
      const result = await context.run({ account_sid, fault }, () => Promise.race([work(fault.signal), faulted]))
      succeeded(account_sid, startedAt)
      return result
    },
    currentTenant: () => context.getStore()?.account_sid,
    handle(error) {
      const work = context.getStore()
      if (work === undefined) return undefined
      const { account_sid, fault } = work
      const faults = (pauses.get(account_sid)?.faults ?? 0) + 1
      const pauseMs = exponentialBackoffMs(faults, pauseBackoff)
      pauses.set(account_sid, { faults, until: now() + pauseMs, cause: error })
      fault.abort(new TenantFaultError(error))
      return { account_sid, pausedSeconds: pauseMs / 1000 }
    },
  }
}

/** The guard of this process, which its handler of uncaught errors uses. */
export const tenantErrorGuard: TenantErrorGuard = createTenantErrorGuard()

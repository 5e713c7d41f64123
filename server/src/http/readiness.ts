import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError } from '../database/engine.ts'
import { monotonicMs } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'

/** Decides whether this process can serve requests, for load balancers and orchestrators. */

/** A reason why the process is not ready. Contains no address and no text of the database. */
export interface NotReadyReason {
  check: 'database' | 'encryption' | 'schema' | 'shutdown'
  code: 'failed' | 'no_response' | 'outdated' | 'shutting_down' | 'unreachable' | 'wrong_secret'
  msg: string
}

export interface Readiness {
  /** Returns the reasons why the process is not ready. Empty if it is ready. */
  check(): Promise<readonly NotReadyReason[]>
}

export interface ReadinessOptions {
  /** Names of the migrations that this version of Patchbay needs. */
  requiredMigrations: readonly string[]
  /** Reads the names of the applied migrations from the database. */
  readMigrations: () => Promise<readonly string[]>
  /** Reads from the database whether the stored credentials are encrypted with the secret of this process. */
  readSecretFits: () => Promise<boolean>
  logger: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Aborts when the process begins to shut down. */
  shutdownSignal?: AbortSignal | undefined
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
  /** Time limit of a check. Default: 2. */
  timeoutSeconds?: number
}

/** Time for which a result is used again, so that frequent probes do not load the database. */
const cacheMs = 1000
const defaultTimeoutSeconds = 2
/** Maximum number of queries that wait for a database without response. */
const maxPendingReads = 2

const reasons = {
  failed: { check: 'database', code: 'failed', msg: 'The database reports an error. See the log.' },
  noResponse: { check: 'database', code: 'no_response', msg: 'The database does not respond.' },
  unreachable: { check: 'database', code: 'unreachable', msg: 'The database cannot be reached.' },
  outdated: { check: 'schema', code: 'outdated', msg: 'The database schema is older than this version of Patchbay.' },
  wrongSecret: {
    check: 'encryption',
    code: 'wrong_secret',
    msg: 'The stored credentials are encrypted with another secret than that of this process. Restart it to see which.',
  },
  shuttingDown: { check: 'shutdown', code: 'shutting_down', msg: 'The server is shutting down.' },
} as const satisfies Record<string, NotReadyReason>

class NoResponseError extends Error {}

const toReason = (error: unknown): NotReadyReason => {
  if (error instanceof NoResponseError) return reasons.noResponse
  return classifyDbError(error)?.fault === 'unreachable' ? reasons.unreachable : reasons.failed
}

/**
 * Creates the readiness check. Concurrent callers share one check, and its result is valid for a second. A shutdown is
 * reported immediately.
 */
export const createReadiness = ({
  requiredMigrations,
  readMigrations,
  readSecretFits,
  logger,
  shutdownSignal,
  now = monotonicMs,
  timeoutSeconds = defaultTimeoutSeconds,
}: ReadinessOptions): Readiness => {
  const findReason = async (): Promise<NotReadyReason | undefined> => {
    // A newer version may have applied further migrations during a rolling upgrade.
    const applied = new Set(await readMigrations())
    if (requiredMigrations.some((name) => !applied.has(name))) return reasons.outdated
    return (await readSecretFits()) ? undefined : reasons.wrongSecret
  }

  let pendingReads = 0
  let current: Promise<readonly NotReadyReason[]> | undefined
  /** Time until which `current` is used again. */
  let expiresAt = 0
  let lastCode: NotReadyReason['code'] | undefined

  const read = async (): Promise<NotReadyReason | undefined> => {
    if (pendingReads >= maxPendingReads) throw new NoResponseError('earlier checks are still waiting')
    pendingReads += 1
    const reading = findReason().finally(() => {
      pendingReads -= 1
    })
    return withTimeout(reading, timeoutSeconds, () => new NoResponseError('the check took too long'))
  }

  /** Logs changes only, because probes repeat every few seconds. */
  const report = (reason: NotReadyReason | undefined, error?: unknown): readonly NotReadyReason[] => {
    if (reason !== undefined && reason.code !== lastCode)
      logger.warn(
        { check: reason.check, code: reason.code, ...(error ? { err: error } : {}) },
        'the server is not ready',
      )
    if (reason === undefined && lastCode !== undefined) logger.info('the server is ready again')
    lastCode = reason?.code
    return reason === undefined ? [] : [reason]
  }

  const runCheck = async (): Promise<readonly NotReadyReason[]> => {
    try {
      return report(await read())
    } catch (error) {
      return report(toReason(error), error)
    }
  }

  const startCheck = async (): Promise<readonly NotReadyReason[]> => {
    expiresAt = Number.POSITIVE_INFINITY
    const result = await runCheck()
    expiresAt = now() + cacheMs
    return result
  }

  return {
    async check() {
      if (shutdownSignal?.aborted) return [reasons.shuttingDown]
      current = current !== undefined && now() < expiresAt ? current : startCheck()
      const result = await current
      return shutdownSignal?.aborted ? [reasons.shuttingDown] : result
    },
  }
}

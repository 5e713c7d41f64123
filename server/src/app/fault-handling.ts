import type { FastifyBaseLogger } from 'fastify'
import type { TenantErrorGuard } from '../adapters/tenant-errors.ts'

export interface FaultHandling {
  log: Pick<FastifyBaseLogger, 'error' | 'fatal'>
  tenantErrors: Pick<TenantErrorGuard, 'handle'>
  /** Ends the process with a code other than 0, so that its supervisor restarts it. */
  endProcess: () => void
}

/**
 * Returns the handler for uncaught errors. An error in outgoing work of a tenant is logged with the tenant, and the
 * tenant's work is paused. After any other error the state of the process is unknown, so the error is logged and the
 * process ends.
 */
export const createFaultHandler =
  ({ log, tenantErrors, endProcess }: FaultHandling) =>
  (error: unknown): void => {
    const handled = tenantErrors.handle(error)
    if (handled === undefined) {
      log.fatal({ err: error }, 'unexpected error; the process ends')
      endProcess()
      return
    }
    const { account_sid, pausedSeconds } = handled
    log.error(
      { err: error, account_sid, paused_seconds: pausedSeconds },
      'unexpected error in outgoing requests of an account, which are paused',
    )
  }

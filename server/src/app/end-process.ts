import type { FastifyBaseLogger } from 'fastify'
import type { createFaultHandler } from './fault-handling.ts'

/** Ends the process on signals and after unexpected errors, and logs how it ended. */

interface ProcessEndOptions {
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
  /** Closes everything, after requests in progress. */
  close: () => Promise<void>
  /** Closes everything after load balancers have noticed that the server is not ready. */
  closeWhenDrained: () => Promise<void>
  /** Milliseconds after which the process ends although `close` or `closeWhenDrained` has not. */
  timeoutMs: { close: number; closeWhenDrained: number }
}

const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

/**
 * Makes signals end the process with code 0, or with code 1 if the shutdown fails or takes too long.
 * @returns the function that ends the process with code 1 after an unexpected error, see `createFaultHandler`
 */
export const endOnSignals = ({
  log,
  close,
  closeWhenDrained,
  timeoutMs,
}: ProcessEndOptions): Parameters<typeof createFaultHandler>[0]['endProcess'] => {
  let isStopping = false
  let hasFailed = false
  const exit = (reason: string, exit_code: number): never => {
    log.info({ reason, seconds: Math.round(process.uptime() * 10) / 10, exit_code }, 'stopped')
    process.exit(exit_code)
  }
  const stop = async (signal: string): Promise<void> => {
    setTimeout(() => {
      log.error('the shutdown took too long; the process ends')
      exit(signal, 1)
    }, timeoutMs.closeWhenDrained)
    try {
      await closeWhenDrained()
    } catch (error) {
      log.error({ err: error }, 'the shutdown failed')
      exit(signal, 1)
    }
    exit(signal, hasFailed ? 1 : 0)
  }
  for (const signal of signals)
    process.on(signal, () => {
      // A terminal and npm both send the signal, so that it can arrive twice.
      if (!isStopping) void stop(signal)
      isStopping = true
    })
  return () => {
    const reason = 'unexpected error'
    // A second error during the shutdown.
    if (hasFailed) exit(reason, 1)
    hasFailed = true
    setTimeout(() => exit(reason, 1), timeoutMs.close)
    close()
      .catch((error: unknown) => log.error({ err: error }, 'the shutdown after an unexpected error failed'))
      .finally(() => exit(reason, 1))
  }
}

import type { FastifyBaseLogger } from 'fastify'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'
import { readSchemaName } from '../database/migrations.ts'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import { buildInfo } from '../lib/build-info.ts'

/** Metrics that count already but are not served yet. */
export interface CountingMetrics {
  /**
   * Serves the metrics. Returns a function that stops it.
   *
   * @param callActivity counts calls in their store
   * @param graceMs time limit of requests in progress while the server stops
   */
  serve(
    database: Database,
    callActivity: CallActivity,
    logger: FastifyBaseLogger,
    graceMs: number,
  ): Promise<() => Promise<void>>
}

/**
 * Starts to count, before the app is created, which adds its hooks only if something observes its requests. Returns
 * undefined if metrics are disabled; then their code is not even loaded.
 */
export const startMetrics = async ({
  metrics: settings,
  backups,
}: Configuration): Promise<CountingMetrics | undefined> => {
  if (settings === null) return undefined
  const [{ createMetrics }, { createMetricsServer }] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('../metrics/metrics-server.ts'),
  ])
  const metrics = createMetrics()
  return {
    async serve(database, callActivity, logger, graceMs) {
      const { host, port, providers } = settings
      const version = { ...buildInfo, schema: readSchemaName() }
      metrics.describe(database, version, { maxProviders: providers, hasBackups: backups !== null, callActivity })
      const server = createMetricsServer(metrics, logger)
      const close = createGracefulClose(server, graceMs)
      await server.listen({ host, port })
      return async () => {
        await close()
        metrics.close()
      }
    },
  }
}

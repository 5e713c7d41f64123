import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Database } from '../database/engine.ts'
import type { VersionInfo } from '../http/health.ts'
import { observeBackups } from './backup-metrics.ts'
import { observeDatabase, observePools } from './database-metrics.ts'
import { observeProviders } from './provider-metrics.ts'
import { observeRequests } from './request-metrics.ts'
import { observeHelpers, observeIntakes, observeJobs, observeQueues } from './work-metrics.ts'

/** Computes metrics in the format of Prometheus. Loaded only if METRICS_PORT is set. */

/** Gauges of prom-client whose names end like those of counters. The same numbers exist by type, without `_total`. */
const misnamedMetrics = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export interface MetricsOptions {
  /** Number of service providers with metrics of their own. */
  maxProviders: number
  hasBackups: boolean
  callActivity: Pick<CallActivity, 'countByOwner'>
}

export interface Metrics {
  registry: Registry
  /**
   * Adds the metrics of the open database and of the build, those of `maxProviders` service providers, and those of
   * scheduled backups.
   */
  describe(database: Database, build: Omit<VersionInfo, 'modified'>, options: MetricsOptions): void
  /** Ends the subscriptions. */
  close(): void
}

/** Starts to count. Requests are only observed if this is called before the app is created. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamedMetrics) registry.removeSingleMetric(name)
  const subscriptions = [
    observeRequests,
    observeDatabase,
    observeQueues,
    observeJobs,
    observeHelpers,
    observeIntakes,
  ].flatMap((observe) => observe(registry))
  return {
    registry,
    describe(database, { version, commit, schema }, { maxProviders, hasBackups, callActivity }) {
      observePools(registry, database)
      if (hasBackups) observeBackups(registry, database)
      if (maxProviders > 0) observeProviders(registry, { database, callActivity }, maxProviders)
      new Gauge({
        name: 'patchbay_build_info',
        help: 'Always 1. The labels name the version, the commit, and the database schema.',
        labelNames: ['version', 'commit', 'schema'],
        registers: [registry],
      }).set({ version, commit: commit ?? 'unknown', schema }, 1)
    },
    close() {
      for (const unsubscribe of subscriptions) unsubscribe()
      registry.clear()
    },
  }
}

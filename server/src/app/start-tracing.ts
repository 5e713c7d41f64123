import type { Configuration } from '../config/configuration.ts'
import { buildInfo } from '../lib/build-info.ts'
import type { Tracing } from '../tracing/create-tracing.ts'

/**
 * Starts to create spans, before the app is created, which adds its hooks only then. Returns undefined if no endpoint is
 * configured; then the code of OpenTelemetry is not even loaded.
 */
export const startTracing = async ({
  tracingExport,
  database,
}: Pick<Configuration, 'tracingExport' | 'database'>): Promise<Tracing | undefined> => {
  if (tracingExport === null) return undefined
  const { createTracing } = await import('../tracing/create-tracing.ts')
  return createTracing(tracingExport, database, buildInfo.version)
}

import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { port, type Values } from './schemas.ts'

/** The settings of the metrics for Prometheus. */

export const metricsVariables = {
  METRICS_PORT: port
    .default(0)
    .describe(
      'Port that serves [metrics](metrics.md) for Prometheus at `/metrics`. It must differ from `PORT`. ' +
        '0 disables metrics',
    ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on. Metrics need no credentials, so let only Prometheus reach it'),
  METRICS_PROVIDERS: z.coerce
    .number({ error: 'must be a number of service providers' })
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('Number of service providers, at most 1,000, with metrics of their own: those with the most accounts'),
}

/**
 * Returns the address of the metrics, and the number of service providers with figures of their own. Returns null if
 * metrics are disabled.
 * @param publicPort the port of the console and the API. It is public, and the metrics are not.
 */
export const getMetricsSettings = (env: Values<typeof metricsVariables>, publicPort: number) => {
  if (env.METRICS_PORT === 0) return null
  if (env.METRICS_PORT === publicPort)
    throw new InvalidConfigurationError('METRICS_PORT must differ from PORT, because that port is public.')
  return { host: env.METRICS_HOST, port: env.METRICS_PORT, providers: env.METRICS_PROVIDERS }
}

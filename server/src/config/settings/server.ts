import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { z } from 'zod'
import { networkList, onOff, port, positive, publicUrl, type Values } from './schemas.ts'

/** The settings of the server for the console and the API. */

export const serverVariables = {
  PORT: port.optional(),
  HTTP_PORT: port.optional(),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: publicUrl('the address of the console, such as https://host').optional(),
  JAMBONES_TRUST_PROXY: z.coerce.number({ error: 'must be a number of proxies' }).int().min(0).default(0),
  TRUSTED_NETWORKS: networkList.optional(),
  REQUEST_TIMEOUT_SECONDS: positive.default(30),
  SHUTDOWN_DELAY_SECONDS: z.coerce.number({ error: 'must be a number of seconds' }).int().min(0).max(300).default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ACCESS_LOG: onOff.default(false),
  CONSOLE_API_BASE: z.string().optional(),
}

export type ServerSettings = ReturnType<typeof getServerSettings>

export const getServerSettings = (env: Values<typeof serverVariables>) => ({
  host: env.HOST,
  port: env.PORT ?? env.HTTP_PORT ?? 3000,
  /** URL of the console. Null if it is not configured. */
  publicUrl: env.PUBLIC_URL === undefined ? null : withoutTrailingSlashes(env.PUBLIC_URL),
  /** Number of proxies whose forwarding headers are trusted. */
  trustedProxies: env.JAMBONES_TRUST_PROXY,
  /**
   * Networks from which the open endpoints of the platform's API answer without a token. Null means loopback and the
   * stored private networks.
   */
  trustedNetworks: env.TRUSTED_NETWORKS ?? null,
  requestTimeoutSeconds: env.REQUEST_TIMEOUT_SECONDS,
  /** Seconds between the failing readiness check and the end of listening. */
  shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
  logLevel: env.LOG_LEVEL,
  /** Whether each request to the console and the API is logged. */
  accessLog: env.ACCESS_LOG,
  /** API base URL in config.json. Null if the API has the same origin as the console. */
  apiBase: env.CONSOLE_API_BASE ?? null,
})

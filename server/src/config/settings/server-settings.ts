import { z } from 'zod'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'
import { networkList, onOff, port, positive, publicUrl, type Values } from './schemas.ts'

/** The settings of the server for the console and the API. */

const defaultPort = 3000

export const serverVariables = {
  PORT: port
    .optional()
    .meta({ description: 'Port of the console and the API. 0 selects a free port', documentedDefault: '`HTTP_PORT`' }),
  HTTP_PORT: port
    .optional()
    .meta({ description: 'The same, if `PORT` is unset', documentedDefault: String(defaultPort) }),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'Address to listen on. `0.0.0.0` is every IPv4 address, `::` every address ([TLS and reverse ' +
        'proxy](../how-to/put-behind-a-reverse-proxy.md))',
    ),
  PUBLIC_URL: publicUrl('the address of the console, such as https://host')
    .optional()
    .describe(
      'URL at which users reach the console, such as `https://console.example.com`. Links in emails and ' +
        'redirects of sign-in providers lead there. Required with `ENABLE_FORGOT_PASSWORD`',
    ),
  JAMBONES_TRUST_PROXY: z.coerce
    .number({ error: 'must be a number of proxies' })
    .int()
    .min(0)
    .default(0)
    .describe('Number of proxies in front whose forwarding headers are trusted'),
  TRUSTED_NETWORKS: networkList.optional().meta({
    description:
      'Networks, such as `10.0.0.0/8`, from which `/AccountTest`, `/messaging`, and `/outboundSMS` ' +
      'answer without a token. Requests through a proxy count only if `JAMBONES_TRUST_PROXY` is set',
    documentedDefault: 'loopback and the stored private networks',
  }),
  REQUEST_TIMEOUT_SECONDS: positive
    .default(30)
    .describe(
      'Time after which a request gets 503. On MySQL and MariaDB also the time limit of a statement and ' +
        'of the wait for a connection; two seconds later, a connection without a response is closed',
    ),
  SHUTDOWN_DELAY_SECONDS: z.coerce
    .number({ error: 'must be a number of seconds' })
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe(
      'Seconds for which the server still accepts requests after SIGTERM, while `/readyz` already ' +
        'returns 503. Set it to the time that your load balancer needs to notice, at most 300 ([how ' +
        'to](../how-to/put-behind-a-reverse-proxy.md#check-the-health-of-the-server))',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('`fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent`'),
  ACCESS_LOG: onOff
    .default(false)
    .describe(
      'Switch: log each request to the console and the API, without query strings ' +
        '([logging](logging.md#requests))',
    ),
  CONSOLE_API_BASE: z
    .string()
    .optional()
    .describe('API base URL of the served console. Unset: the same host with the path `/api/v1`'),
}

export type ServerSettings = ReturnType<typeof getServerSettings>

export const getServerSettings = (env: Values<typeof serverVariables>) => ({
  host: env.HOST,
  port: env.PORT ?? env.HTTP_PORT ?? defaultPort,
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

import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { readNamedFile, requireBoth } from './dependent-settings.ts'
import { markSecret, onOff, port, type Values } from './schemas.ts'

/**
 * The settings of the Redis of jambonz, which are those of the other components of jambonz
 * (docs/reference/platform-api/live-calls.md#redis-keys).
 */

export const redisVariables = {
  JAMBONES_REDIS_HOST: z
    .string()
    .optional()
    .describe(
      "Host of the platform's Redis: sessions, lock-out, common rate limits of all processes, " +
        'registered SIP users, TTS cache, live calls, queues, and conferences. Without Redis, sessions ' +
        'and lock-out are in the database, rate limits in the process, and the other features are not ' +
        'offered',
    ),
  JAMBONES_REDIS_PORT: port.default(6379).describe('Port of that Redis'),
  JAMBONES_REDIS_USERNAME: z.string().optional().describe('User name for that Redis'),
  JAMBONES_REDIS_PASSWORD: markSecret(z.string().optional().describe('Password for that Redis')),
  JAMBONES_REDIS_SENTINELS: z
    .string()
    .regex(/^[^:,\s]+(:\d{1,5})?(,\s*[^:,\s]+(:\d{1,5})?)*$/, { error: 'must be host:port, separated by commas' })
    .optional()
    .describe('Sentinels as host[:port], separated by commas, default port 26379. They take precedence over the host'),
  JAMBONES_REDIS_SENTINEL_MASTER_NAME: z
    .string()
    .optional()
    .describe('Name of the Redis at the Sentinels. Required with `JAMBONES_REDIS_SENTINELS`'),
  JAMBONES_REDIS_SENTINEL_USERNAME: z.string().optional().describe('User name for the Redis behind the Sentinels'),
  JAMBONES_REDIS_SENTINEL_PASSWORD: markSecret(
    z.string().optional().describe('Password for the Redis behind the Sentinels'),
  ),
  JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD: markSecret(z.string().optional().describe('Password of the Sentinels')),
  ENABLE_JAMBONES_REDIS_TLS: onOff.default(false).describe('Switch: TLS to Redis and to its Sentinels'),
  JAMBONES_REDIS_TLS_CA_FILE: z
    .string()
    .optional()
    .describe(
      "PEM file of the CA of Redis's certificate. Patchbay does not start if one of these files is set " +
        'without `ENABLE_JAMBONES_REDIS_TLS`, because the connection would not be encrypted',
    ),
  JAMBONES_REDIS_TLS_KEY_FILE: z.string().optional().describe('PEM file of the key of a client certificate'),
  JAMBONES_REDIS_TLS_CERT_FILE: z.string().optional().describe('PEM file of that client certificate'),
}

type RedisEnvironment = Values<typeof redisVariables>

export interface RedisAddress {
  at:
    | { host: string; port: number }
    | { sentinels: { host: string; port: number }[]; name: string; sentinelPassword?: string }
  /** Credentials of the Redis server, including one behind Sentinels. */
  username?: string
  password?: string
  /** PEM. */
  tls?: { ca?: string; key?: string; cert?: string }
}

const getTls = (env: RedisEnvironment): Pick<RedisAddress, 'tls'> => {
  const { JAMBONES_REDIS_TLS_CA_FILE: ca, JAMBONES_REDIS_TLS_KEY_FILE: key, JAMBONES_REDIS_TLS_CERT_FILE: cert } = env
  if (!env.ENABLE_JAMBONES_REDIS_TLS) {
    if (ca === undefined && key === undefined && cert === undefined) return {}
    throw new InvalidConfigurationError(
      'ENABLE_JAMBONES_REDIS_TLS must be set together with JAMBONES_REDIS_TLS_CA_FILE, JAMBONES_REDIS_TLS_KEY_FILE, and JAMBONES_REDIS_TLS_CERT_FILE. Without it, the connection to Redis is not encrypted.',
    )
  }
  requireBoth(env, 'JAMBONES_REDIS_TLS_KEY_FILE', 'JAMBONES_REDIS_TLS_CERT_FILE')
  return {
    tls: {
      ...(ca ? { ca: readNamedFile(env, 'JAMBONES_REDIS_TLS_CA_FILE') } : {}),
      ...(key ? { key: readNamedFile(env, 'JAMBONES_REDIS_TLS_KEY_FILE') } : {}),
      ...(cert ? { cert: readNamedFile(env, 'JAMBONES_REDIS_TLS_CERT_FILE') } : {}),
    },
  }
}

const toCredentials = (username?: string, password?: string): Pick<RedisAddress, 'username' | 'password'> => ({
  ...(username ? { username } : {}),
  ...(password ? { password } : {}),
})

const parseSentinel = (text: string): { host: string; port: number } => {
  const [host = '', portText = '26379'] = text.trim().split(':')
  return { host, port: Number(portText) }
}

/**
 * If both Sentinels and a host are configured, Sentinels take precedence, as in the components of jambonz. Returns null
 * if sessions and counters are stored in the database, and registrations of SIP users are unavailable.
 */
export const getRedisAddress = (env: RedisEnvironment): RedisAddress | null => {
  const { JAMBONES_REDIS_SENTINELS: sentinels, JAMBONES_REDIS_SENTINEL_MASTER_NAME: name } = env
  if (sentinels !== undefined) {
    if (name === undefined)
      throw new InvalidConfigurationError(
        'JAMBONES_REDIS_SENTINEL_MASTER_NAME must be set together with JAMBONES_REDIS_SENTINELS.',
      )
    const sentinelPassword = env.JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD
    return {
      at: {
        sentinels: sentinels.split(',').map(parseSentinel),
        name,
        ...(sentinelPassword ? { sentinelPassword } : {}),
      },
      ...toCredentials(env.JAMBONES_REDIS_SENTINEL_USERNAME, env.JAMBONES_REDIS_SENTINEL_PASSWORD),
      ...getTls(env),
    }
  }
  if (env.JAMBONES_REDIS_HOST === undefined) return null
  return {
    at: { host: env.JAMBONES_REDIS_HOST, port: env.JAMBONES_REDIS_PORT },
    ...toCredentials(env.JAMBONES_REDIS_USERNAME, env.JAMBONES_REDIS_PASSWORD),
    ...getTls(env),
  }
}

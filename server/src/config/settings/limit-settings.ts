import { z } from 'zod'
import type { AccountQuotas, RateLimit } from '../option-types.ts'
import { onOff, positive, type Values } from './schemas.ts'

/** The settings of rate limits, of storage limits, and of what accounts can create and change. */

/** Requests of an address per request of a user, because users share addresses. */
const addressFactor = 4

export const limitVariables = {
  RATE_LIMIT_MAX_PER_WINDOW: positive
    .default(3000)
    .describe('API requests of a user or API key per window, below `/v1` and `/api/v1` together'),
  RATE_LIMIT_MAX_PER_ADDRESS: positive.optional().meta({
    description: 'API requests of an address per window (IPv6: its /64)',
    documentedDefault: `${addressFactor} × the limit above`,
  }),
  RATE_LIMIT_WINDOWS_MINS: positive.default(5).describe('Length of the window in minutes'),
  DISABLE_RATE_LIMITS: onOff.default(false).describe('Switch: no rate limits. The lock-out remains'),
  ACCOUNT_CALL_DATA_ROWS_PER_DAY: z.coerce
    .number({ error: 'must be a number of rows' })
    .int()
    .min(0)
    .default(10_000_000)
    .describe(
      'Calls, alerts, spans, log lines, and agent events, of each, that an account can store per UTC ' +
        'day. 0: no limit',
    ),
  ACCOUNT_RECORDINGS_MAX_MB: z.coerce
    .number({ error: 'must be a number of megabytes' })
    .int()
    .min(0)
    .default(102_400)
    .describe('MiB of recordings that an account can have in `DATA_DIR`. 0: no limit'),
  JAMBONES_ADMIN_CARRIER: onOff
    .default(false)
    .describe(
      'Switch: users and keys of accounts cannot change carriers and SIP gateways, not even their own, ' +
        'and cannot add phone numbers',
    ),
  JAMBONZ_MIN_GATEWAY_NETMASK: z.coerce
    .number({ error: 'must be a number of bits' })
    .int()
    .min(0)
    .max(32)
    .default(0)
    .describe('Minimum number of bits in the netmask of a SIP gateway'),
  APPLY_JAMBONZ_DB_LIMITS: z
    .string()
    .default('')
    .describe(
      'Any value: users and keys of an account can create at most 50 applications, 10 carriers, 150 SIP ' +
        'gateways, and 200 phone numbers',
    ),
}

type LimitEnvironment = Values<typeof limitVariables>

const getRateLimit = (env: LimitEnvironment): RateLimit | null =>
  env.DISABLE_RATE_LIMITS
    ? null
    : {
        max: env.RATE_LIMIT_MAX_PER_WINDOW,
        maxOfAddress: env.RATE_LIMIT_MAX_PER_ADDRESS ?? addressFactor * env.RATE_LIMIT_MAX_PER_WINDOW,
        windowSeconds: env.RATE_LIMIT_WINDOWS_MINS * 60,
      }

const getAccountQuotas = (env: LimitEnvironment): AccountQuotas => ({
  callDataRowsPerDay: env.ACCOUNT_CALL_DATA_ROWS_PER_DAY,
  recordingBytes: env.ACCOUNT_RECORDINGS_MAX_MB * 1024 * 1024,
})

export const getLimitSettings = (env: LimitEnvironment) => ({
  rateLimit: getRateLimit(env),
  /** Storage limits of each account. */
  accountQuotas: getAccountQuotas(env),
  /** Whether accounts cannot change carriers and gateways, including their own, and cannot add phone numbers. */
  adminCarriers: env.JAMBONES_ADMIN_CARRIER,
  /** Minimum number of bits in the netmask of a SIP gateway. */
  minNetmask: env.JAMBONZ_MIN_GATEWAY_NETMASK,
  /**
   * Whether an account's limits on the number of carriers, gateways, and phone numbers are enforced for its own users
   * and keys.
   */
  createLimits: env.APPLY_JAMBONZ_DB_LIMITS !== '',
})

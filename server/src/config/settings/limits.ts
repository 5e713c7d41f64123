import { z } from 'zod'
import type { AccountQuotas, RateLimit } from '../option-types.ts'
import { onOff, positive, type Values } from './schemas.ts'

/** The settings of rate limits, of storage limits, and of what accounts can create and change. */

export const limitVariables = {
  RATE_LIMIT_MAX_PER_WINDOW: positive.default(3000),
  RATE_LIMIT_MAX_PER_ADDRESS: positive.optional(),
  RATE_LIMIT_WINDOWS_MINS: positive.default(5),
  DISABLE_RATE_LIMITS: onOff.default(false),
  ACCOUNT_CALL_DATA_ROWS_PER_DAY: z.coerce
    .number({ error: 'must be a number of rows' })
    .int()
    .min(0)
    .default(10_000_000),
  ACCOUNT_RECORDINGS_MAX_MB: z.coerce.number({ error: 'must be a number of megabytes' }).int().min(0).default(102_400),
  JAMBONES_ADMIN_CARRIER: onOff.default(false),
  JAMBONZ_MIN_GATEWAY_NETMASK: z.coerce.number({ error: 'must be a number of bits' }).int().min(0).max(32).default(0),
  APPLY_JAMBONZ_DB_LIMITS: z.string().default(''),
}

type LimitEnvironment = Values<typeof limitVariables>

const getRateLimit = (env: LimitEnvironment): RateLimit | null =>
  env.DISABLE_RATE_LIMITS
    ? null
    : {
        max: env.RATE_LIMIT_MAX_PER_WINDOW,
        maxOfAddress: env.RATE_LIMIT_MAX_PER_ADDRESS ?? 4 * env.RATE_LIMIT_MAX_PER_WINDOW,
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

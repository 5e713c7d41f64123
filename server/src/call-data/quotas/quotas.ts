import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { FastifyBaseLogger } from 'fastify'
import type { AccountQuotas } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { throttle } from '../../lib/throttle.ts'
import {
  type AlertLevel,
  addUsage,
  alertLevelFor,
  type Quota,
  type QuotaKind,
  removeOldUsage,
  setUsage,
} from './account-usage.ts'
import { createQuotaAlerts } from './quota-alerts.ts'

type RowKind = Exclude<QuotaKind, 'recordings'>

/** Quotas of accounts for stored call data. */
export interface Quotas {
  /** Returns how many of `count` records the account may store today, and counts them. */
  admit(kind: RowKind, account_sid: string, count: number): Promise<number>
  /** Stores the current size of an account's recordings and raises due alerts. Does not throw. */
  noteRecordings(account_sid: string, bytes: number): Promise<void>
}

export type QuotaLogger = Pick<FastifyBaseLogger, 'warn' | 'error'>

export interface QuotaOptions {
  database: Database
  limits: AccountQuotas
  /** Undefined for a command that has no log. */
  logger: QuotaLogger | undefined
  /** False if InfluxDB stores the alerts. */
  raisesAlerts?: boolean
  /** Milliseconds since the Unix epoch. */
  now?: () => number
}

/** Maximum number of leases that this process keeps in memory, over all accounts and kinds. */
const maxLeases = 10_000

/** A part of a day's quota that this process has reserved, so that most records need no transaction. */
interface Lease {
  day: number
  remaining: number
  isExhausted: boolean
}

/** A lease is a thousandth of the quota, so that a killed process wastes no more than that. */
const leaseSize = (limit: number): number => Math.min(1000, Math.ceil(limit / 1000))

/** Creates the quotas. Several processes can share a database. */
export const createQuotas = ({
  database,
  limits,
  logger,
  raisesAlerts = true,
  now = Date.now,
}: QuotaOptions): Quotas => {
  const leases = new Map<string, Lease>()
  const recordingLevels = new Map<string, { day: number; level: number }>()
  const storeAlert = createQuotaAlerts(database, now)
  const removeOld = throttle(hourMs, () => removeOldUsage(database, Math.floor(now() / dayMs)))

  const raise = async (quota: Quota, level: AlertLevel | undefined): Promise<void> => {
    if (level === undefined) return
    const { account_sid, kind, limit } = quota
    const message =
      level === 100
        ? 'an account has used up a quota; further data is dropped'
        : 'an account has almost used up a quota'
    logger?.warn({ account_sid, kind, limit, used_percent: level }, message)
    if (!raisesAlerts) return
    await storeAlert(quota, level).catch((error: unknown) => {
      logger?.error({ err: error, account_sid, kind }, 'an alert about a quota could not be stored')
    })
  }

  const getLease = (account_sid: string, kind: RowKind, day: number): Lease => {
    const key = `${account_sid} ${kind}`
    const cached = leases.get(key)
    const lease = cached?.day === day ? cached : { day, remaining: 0, isExhausted: false }
    // The map is ordered by last use, so its first entry is the least recently used.
    leases.delete(key)
    leases.set(key, lease)
    const [oldest] = leases.keys()
    if (leases.size > maxLeases && oldest !== undefined) leases.delete(oldest)
    return lease
  }

  const takeFrom = (lease: Lease, count: number): number => {
    const taken = Math.min(lease.remaining, count)
    lease.remaining -= taken
    return taken
  }

  return {
    async admit(kind, account_sid, count) {
      const limit = limits.callDataRowsPerDay
      if (limit === 0) return count
      const quota = { account_sid, kind, limit, day: Math.floor(now() / dayMs) }
      const lease = getLease(account_sid, kind, quota.day)
      const taken = takeFrom(lease, count)
      const missing = count - taken
      if (missing === 0 || lease.isExhausted) return taken
      await removeOld()
      const requested = Math.max(missing, leaseSize(limit))
      const { added, reached } = await addUsage(database, quota, requested)
      lease.remaining += added
      lease.isExhausted = added < requested
      await raise(quota, reached)
      return taken + takeFrom(lease, missing)
    },
    async noteRecordings(account_sid, bytes) {
      const limit = limits.recordingBytes
      const day = Math.floor(now() / dayMs)
      const level = limit === 0 ? 0 : alertLevelFor(bytes, limit)
      const cached = recordingLevels.get(account_sid)
      if (level === 0 || (cached?.day === day && cached.level >= level)) return
      const quota = { account_sid, kind: 'recordings', limit, day } as const
      try {
        await raise(quota, await setUsage(database, quota, bytes))
        recordingLevels.set(account_sid, { day, level })
      } catch (error) {
        logger?.error(
          { err: error, account_sid },
          'the usage of a quota could not be stored; retrying with the next recording',
        )
      }
    },
  }
}

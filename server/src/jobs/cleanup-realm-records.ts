import type { Dns } from '../adapters/dns/dns.ts'
import type { Database } from '../database/engine.ts'
import type { OnBackgroundError } from '../lib/log.ts'
import { throttle } from '../lib/throttle.ts'
import { orphanStale, removeDueLeftovers } from '../resources/shared/realm-records.ts'

const staleCheckIntervalMs = 600_000

/**
 * Returns a job that completes interrupted DNS changes, and every ten minutes looks for records of realms that no
 * account uses.
 */
export const createRealmRecordsCleanup = (
  { database, dns }: { database: Database; dns: Dns },
  onBackgroundError: OnBackgroundError,
): (() => Promise<void>) => {
  const findStale = throttle(staleCheckIntervalMs, () => orphanStale(database))
  return async () => {
    await findStale()
    await removeDueLeftovers(database, dns, onBackgroundError)
  }
}

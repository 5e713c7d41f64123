import { throttle } from '../lib/throttle.ts'
import type { Database } from '../database/engine.ts'
import { removeDueLeftovers, orphanStale } from '../resources/shared/realm-records.ts'
import type { Dns } from '../adapters/dns/dns.ts'

const staleMilliseconds = 600_000

/** Ends what processes left half done, and every ten minutes looks for records of realms that nobody has any more. */
export const createRealmTidier = (
  { database, dns }: { database: Database; dns: Dns },
  onBackgroundError: (error: unknown, what: string) => void,
): (() => Promise<void>) => {
  const findStale = throttle(staleMilliseconds, () => orphanStale(database))
  return async () => {
    await findStale()
    await removeDueLeftovers(database, dns, onBackgroundError)
  }
}

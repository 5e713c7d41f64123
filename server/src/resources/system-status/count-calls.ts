import type { PlatformHealth } from '../../adapters/platform-health/platform-health.ts'
import type { Database } from '../../database/engine.ts'

/** The SBCs count per account. With more accounts than this, the sum would take too long. */
const maxAccounts = 10_000

/** Creates a function that sums the calls in progress of all accounts. It returns null without Redis. */
export const createCallCounter =
  ({ reader }: Database, health: PlatformHealth | undefined) =>
  async (): Promise<{ inbound: number; outbound: number } | null> => {
    if (health === undefined) return null
    const accounts = await reader
      .selectFrom('accounts')
      .select('account_sid')
      .limit(maxAccounts + 1)
      .execute()
    if (accounts.length > maxAccounts) return null
    return health.countCalls(accounts.map(({ account_sid }) => account_sid))
  }

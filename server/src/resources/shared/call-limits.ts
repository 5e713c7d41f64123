import type { LimitConcern } from '@patchbay/contract/inbound-routing'
import type { AttentionRecord } from '@patchbay/contract/overview'
import type { LiveCalls } from '../../adapters/live-calls/live-calls.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { chunk } from '../../lib/chunk.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { selectOwnedAccounts } from './owned-rows.ts'

/** Compares the calls in progress with the limits of accounts and service providers for simultaneous calls. */

/** Number of accounts in one query. */
const accountsPerQuery = 500

/** Returns the accounts of an owner that have calls in progress, with the number of these calls. */
export const countLiveCalls = async (
  database: Database,
  owner: CallOwner,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> => {
  const owned = new Map<string, number>()
  for (const sids of chunk([...counts.keys()], accountsPerQuery)) {
    const rows = await selectOwnedAccounts(database, owner).where('owned.account_sid', 'in', sids).execute()
    for (const { account_sid } of rows) owned.set(account_sid, counts.get(account_sid) ?? 0)
  }
  return owned
}

const none = { detail: null, expires_at: null }

/** Returns the limits of the accounts with calls, and of the provider, with the number of their calls. */
export const findCallLimits = async (
  { reader }: Database,
  owner: CallOwner,
  calls: ReadonlyMap<string, number>,
): Promise<AttentionRecord[]> => {
  const accountLimits: AttentionRecord[] = []
  for (const sids of chunk([...calls.keys()], accountsPerQuery)) {
    const limits = await reader
      .selectFrom('account_limits')
      .innerJoin('accounts', 'accounts.account_sid', 'account_limits.account_sid')
      .select(['accounts.account_sid', 'accounts.name', 'account_limits.quantity'])
      .where('account_limits.account_sid', 'in', sids)
      .where('category', '=', 'voice_call_session')
      .execute()
    for (const { account_sid, name, quantity } of limits)
      accountLimits.push({ ...none, sid: account_sid, name, account_sid, used: calls.get(account_sid) ?? 0, quantity })
  }
  if ('account_sid' in owner) return accountLimits
  const total = [...calls.values()].reduce((sum, count) => sum + count, 0)
  const limits = await reader
    .selectFrom('service_provider_limits')
    .innerJoin('service_providers as provider', (join) =>
      join.onRef('provider.service_provider_sid', '=', 'service_provider_limits.service_provider_sid'),
    )
    .select(['provider.service_provider_sid as sid', 'provider.name', 'quantity'])
    .where('service_provider_limits.service_provider_sid', '=', owner.service_provider_sid)
    .where('category', '=', 'voice_call_session')
    .execute()
  return [...accountLimits, ...limits.map((limit) => ({ ...none, ...limit, account_sid: null, used: total }))]
}

/** The calls in progress supplement a prediction, so they are not waited for longer. */
const timeoutSeconds = 1.5

const noResponse = () => new Error('the store of calls in progress does not respond')

/**
 * Returns the limits that the calls in progress of an account, and of all accounts of its provider, have reached. Empty
 * if they cannot be counted in time.
 */
export const findReachedLimits = async (
  { database, liveCalls }: { database: Database; liveCalls: Pick<LiveCalls, 'countInProgress'> },
  { account_sid, service_provider_sid }: { account_sid: string; service_provider_sid: string },
): Promise<LimitConcern[]> => {
  const counted = withTimeout(liveCalls.countInProgress(), timeoutSeconds, noResponse)
  const counts = await counted.catch(() => new Map<string, number>())
  if (counts.size === 0) return []
  const owner = { service_provider_sid }
  const limits = await findCallLimits(database, owner, await countLiveCalls(database, owner, counts))
  return limits
    .filter((limit) => limit.account_sid === account_sid || limit.account_sid === null)
    .filter(({ used, quantity }) => used !== null && quantity !== null && quantity > 0 && used >= quantity)
    .map((limit) => ({
      is: 'limit_reached',
      of: limit.account_sid === null ? 'service_provider' : 'account',
      used: limit.used,
      quantity: limit.quantity,
    }))
}

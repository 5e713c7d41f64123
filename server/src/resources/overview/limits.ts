import type { AttentionRecord } from '@patchbay/contract/overview'
import { maxAttentionCount } from '@patchbay/contract/shared/attention-kinds'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { AccountQuotas } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { chunk } from '../../lib/chunk.ts'
import { selectOwnedAccounts } from '../shared/owned-rows.ts'

/** Finds limits that are almost used up: simultaneous calls, and the quotas of accounts for call data. */

/** The part of a limit from which it needs attention. The alerts about quotas begin at the same part. */
const nearRatio = 0.8

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

/** Returns the accounts, and the provider, whose simultaneous calls come close to their limit. */
const findCallLimits = async (
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

/** Returns the quotas for call data that an account has almost used up today (UTC). */
const findQuotas = async (
  database: Database,
  owner: CallOwner,
  { callDataRowsPerDay, recordingBytes }: AccountQuotas,
  now: number,
): Promise<AttentionRecord[]> => {
  if (callDataRowsPerDay === 0 && recordingBytes === 0) return []
  const usages = await database.reader
    .selectFrom('patchbay_account_usage as usage')
    .innerJoin('accounts', 'accounts.account_sid', 'usage.account_sid')
    .select(['usage.account_sid', 'accounts.name', 'usage.kind', 'usage.amount'])
    .where('usage.day', '=', toDayNumber(now))
    .where('usage.account_sid', 'in', selectOwnedAccounts(database, owner))
    .limit(maxAttentionCount)
    .execute()
  return usages.map(({ account_sid, name, kind, amount }) => ({
    ...none,
    sid: account_sid,
    name,
    account_sid,
    detail: kind,
    used: amount,
    quantity: kind === 'recordings' ? recordingBytes : callDataRowsPerDay,
  }))
}

const isNear = ({ used, quantity }: AttentionRecord): boolean =>
  used !== null && quantity !== null && quantity > 0 && used >= nearRatio * quantity

/**
 * Returns the limits that are almost used up. The detail is the kind of call data, or null for simultaneous calls.
 * @param calls calls in progress by account. Empty if they are unknown.
 * @param now milliseconds since the Unix epoch
 */
export const findNearLimits = async (
  database: Database,
  owner: CallOwner,
  calls: ReadonlyMap<string, number>,
  quotas: AccountQuotas,
  now: number,
): Promise<AttentionRecord[]> => {
  const limits = await Promise.all([findCallLimits(database, owner, calls), findQuotas(database, owner, quotas, now)])
  return limits.flat().filter(isNear)
}

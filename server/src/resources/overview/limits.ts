import type { AttentionRecord } from '@patchbay/contract/overview'
import { maxAttentionCount } from '@patchbay/contract/shared/attention-kinds'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { AccountQuotas } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { findCallLimits } from '../shared/call-limits.ts'
import { selectOwnedAccounts } from '../shared/owned-rows.ts'

/** Finds limits that are almost used up: simultaneous calls, and the quotas of accounts for call data. */

/** The part of a limit from which it needs attention. The alerts about quotas begin at the same part. */
const nearRatio = 0.8

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
    sid: account_sid,
    name,
    account_sid,
    detail: kind,
    expires_at: null,
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

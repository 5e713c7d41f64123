import { createHash } from 'node:crypto'
import type { Alert } from '@patchbay/contract/alerts'
import type { Database } from '../../database/engine.ts'
import { readInstant, split } from '../calls/nanosecond-timestamps.ts'
import type { CallOwner, SearchContext } from '../calls/search-options.ts'
import type { AlertKey } from './alerts.ts'

/** The alerts of an owner that a user has not seen. */
export interface NewAlertSearch {
  owner: CallOwner
  user_sid: string
  /** Older alerts are not new. Milliseconds since the Unix epoch. */
  from: number
  /** Maximum number of alerts to return. */
  count: number
}

export interface UnseenAlerts {
  /** Number of alerts that are neither seen nor acknowledged. */
  total: number
  /** The oldest of them, oldest first. */
  alerts: readonly Alert[]
  /** Key of the last of `alerts`. */
  last?: AlertKey | undefined
  newest?: AlertKey | undefined
}

export interface NewAlerts {
  search(search: NewAlertSearch, searcher: SearchContext): Promise<UnseenAlerts>
}

/** Compares two alerts by time. Those with the same time have the order of the list. */
export const compareKeys = (a: AlertKey, b: AlertKey): number => {
  if (a.raised_at !== b.raised_at) return a.raised_at - b.raised_at
  if (a.raised_ns !== b.raised_ns) return a.raised_ns - b.raised_ns
  return a.fingerprint < b.fingerprint ? -1 : Number(a.fingerprint > b.fingerprint)
}

/** Formats the key of an alert as a position for callers of the API. */
export const formatPosition = ({ raised_at, raised_ns, fingerprint }: AlertKey): string =>
  `${raised_at}-${raised_ns}-${fingerprint}`

/** Parses a position, whose format the contract has checked. */
export const parsePosition = (position: string): AlertKey => {
  const [raised_at, raised_ns, fingerprint = ''] = position.split('-')
  return { raised_at: Number(raised_at), raised_ns: Number(raised_ns), fingerprint }
}

/** Returns the key of an alert of a store that has no fingerprints. */
export const toAlertKey = ({ time, ...alert }: Alert): AlertKey => {
  const { milliseconds: raised_at, nanoseconds: raised_ns } = split(readInstant(time))
  return { raised_at, raised_ns, fingerprint: createHash('sha256').update(JSON.stringify(alert)).digest('hex') }
}

/** Finds the key up to which a user has seen all alerts of an owner: by its own list, or by that of its provider. */
export const findSeenUntil = async (
  { reader }: Pick<Database, 'reader'>,
  user_sid: string,
  owner: CallOwner,
): Promise<AlertKey | undefined> => {
  const rows = await reader
    .selectFrom('patchbay_seen_alerts as seen')
    .select(['seen.raised_at', 'seen.raised_ns', 'seen.fingerprint'])
    .where('seen.user_sid', '=', user_sid)
    .where((where) =>
      'account_sid' in owner
        ? where.or([
            where('seen.account_sid', '=', owner.account_sid),
            where.and([
              where('seen.account_sid', 'is', null),
              where(
                'seen.service_provider_sid',
                'in',
                where
                  .selectFrom('accounts')
                  .select('accounts.service_provider_sid')
                  .where('accounts.account_sid', '=', owner.account_sid),
              ),
            ]),
          ])
        : where.and([
            where('seen.account_sid', 'is', null),
            where('seen.service_provider_sid', '=', owner.service_provider_sid),
          ]),
    )
    .execute()
  return rows.toSorted(compareKeys).at(-1)
}

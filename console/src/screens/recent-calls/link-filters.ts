import { requiredSession } from '../../session/session.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'

/** Filters that only links can set, in addition to those above the list. */

/** Search parameters that clear these filters. */
export const unnarrowed = { from: undefined, until: undefined, trunk: undefined, status: undefined }

/** Returns whether the list shows all accounts of the provider, which only a link can request. */
export const showsAllAccounts = ({ account }: CallSearch): boolean =>
  account === 'all' && requiredSession().actor.scope !== 'account'

/** Returns the query for a period of whole days in UTC, both inclusive. */
export const toDayRange = ({ from, until }: CallSearch): { start?: string; end?: string; days?: string } | undefined =>
  from || until
    ? { ...(from ? { start: `${from}T00:00:00.000Z` } : {}), ...(until ? { end: `${until}T23:59:59.999Z` } : {}) }
    : undefined

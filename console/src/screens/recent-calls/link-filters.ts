import { requiredSession } from '../../session/session.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'

/** What a link to certain calls says beside the filters that always stand above them. */

/** Every member of it, as none. */
export const unnarrowed = { from: undefined, until: undefined, trunk: undefined, status: undefined }

/** Of all accounts of the provider: only where a link has said so. */
export const ofAll = ({ account }: CallSearch): boolean =>
  account === 'all' && requiredSession().actor.scope !== 'account'

/** The period of whole days in UTC, both included. */
export const toDayRange = ({ from, until }: CallSearch): { start?: string; end?: string; days?: string } | undefined =>
  from || until
    ? { ...(from ? { start: `${from}T00:00:00.000Z` } : {}), ...(until ? { end: `${until}T23:59:59.999Z` } : {}) }
    : undefined

import { isAtLeast } from '@patchbay/contract/api/access'
import { formatDay, toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { requiredSession } from '../../session/session.ts'

/** Returns the filters of the recent calls that select the calls of all accounts that the overview counts. */
export const callsInScope = (): CallSearch =>
  isAtLeast(requiredSession().actor.scope, 'service_provider') ? { account: 'all' } : {}

/** Returns yesterday and today in UTC, the days in which the overview counts the outcomes of calls. */
export const daysSinceYesterday = (now = Date.now()): Pick<CallSearch, 'from' | 'until'> => ({
  from: formatDay(toDayNumber(now) - 1),
  until: formatDay(toDayNumber(now)),
})

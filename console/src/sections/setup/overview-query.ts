import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { startOfDay } from '../../ui/format/calendar-days.ts'
import { preferences } from '../../ui/preferences.ts'
import { sameTimeBefore } from './same-time-before.ts'

const pollMs = 30_000

/** The page that opens does not repeat the read of its loader. */
const staleMs = 1_000

/** Returns the days that are compared, in the chosen time zone. */
const getDays = (now = new Date(), { timeZone } = preferences()) => ({
  today: startOfDay(now, 0, timeZone).toISOString(),
  last_week_from: startOfDay(now, 7, timeZone).toISOString(),
  last_week_until: sameTimeBefore(now, 7, timeZone).toISOString(),
})

/** The overview of an account, or of a service provider and all its accounts. Alerts count as in the menu's badge. */
export const overviewQuery = (owner: OwnerSid) =>
  queryOptions({
    queryKey: ['overview', owner],
    queryFn: (context) => {
      const query = getDays()
      return owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/overview',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api('GET /patchbay/accounts/:account_sid/overview', { params: owner, query }, queryCallOptions(context))
    },
    staleTime: staleMs,
    ...liveRefresh(pollMs),
  })

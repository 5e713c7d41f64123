import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries for queues and conferences. They poll while the screen is visible. */

const second = 1000

/** Slower than the polling of calls, because each request scans the whole of Redis. */
const queuesPollIntervalMs = 20 * second

export const queuesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['queues', account_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/Queues',
        { params: { account_sid }, query: {} },
        { ...queryCallOptions(context), unasked: true },
      ),
    ...liveRefresh(queuesPollIntervalMs),
  })

export const conferencesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['conferences', account_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/Conferences',
        { params: { account_sid } },
        { ...queryCallOptions(context), unasked: true },
      ),
    ...liveRefresh(queuesPollIntervalMs),
  })

import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

const pollIntervalMs = 30_000

/** The state of all components. Polls while the screen is visible. */
export const systemStatusQuery = queryOptions({
  queryKey: ['system-status'],
  queryFn: (context) => api('GET /patchbay/system-status', {}, queryCallOptions(context)),
  ...liveRefresh(pollIntervalMs),
})

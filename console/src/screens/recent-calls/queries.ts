import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type CallQuery, readCalls } from '../../api/read-calls.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries of the list of calls. */

export const recentCallsQuery = (owner: OwnerSid, query: CallQuery) =>
  queryOptions({
    queryKey: ['recent-calls', owner, query],
    queryFn: (context) => readCalls(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

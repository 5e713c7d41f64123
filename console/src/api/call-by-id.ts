import { queryOptions } from '@tanstack/react-query'
import { readCalls } from './read-calls.ts'
import type { OwnerSid } from './record-queries.ts'
import { queryCallOptions } from './shared-queries.ts'

/** The call with exactly this SID or Call-ID, if it began in the last 30 days. */
export const callByIdQuery = (owner: OwnerSid, id: string) =>
  queryOptions({
    queryKey: ['call-by-id', owner, id],
    queryFn: async (context) => {
      const query = { page: '1', count: '25', days: '30', filter: id }
      const { data } = await readCalls(owner, query, { ...queryCallOptions(context), unasked: true })
      return data.find(({ call_sid, sip_callid }) => call_sid === id.toLowerCase() || sip_callid === id) ?? null
    },
  })

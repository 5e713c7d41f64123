import type { Conversation } from '@patchbay/contract/conversations'
import type { Call } from '@patchbay/contract/recent-calls'
import { agentEventSource } from '@patchbay/rules/conversations/agent-event-source'
import { parseSpans } from '@patchbay/rules/traces/traces'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { queryClient } from '../../../api/query-client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'
import { traceQuery } from '../call-detail-queries.ts'

/** Returns the trace that was read when the call was opened, or reads it if it had no spans then. */
const readTrace = async (account_sid: string, trace_id: string) => {
  const query = traceQuery(account_sid, trace_id)
  const cached = queryClient.getQueryData(query.queryKey)
  return parseSpans(cached).length > 0 && cached ? cached : queryClient.fetchQuery({ ...query, staleTime: 0 })
}

/** Returns whether the server itself derives conversations, from more than traces. */
export const hasConversations = (): boolean => config().extensions.has('conversations')

/** Derives the conversation of a call from its trace. */
export const deriveConversation = async (account_sid: string, trace_id: string): Promise<Conversation | null> => {
  const [trace, { buildConversation }] = await Promise.all([
    readTrace(account_sid, trace_id),
    import('@patchbay/rules/conversations/build-conversation'),
  ])
  return buildConversation({ spans: parseSpans(trace), isTraceCut: trace.is_cut === true }) ?? null
}

/** The server analyzes the recording of an hour in a few seconds. */
const analyzingMs = 2000

/** Reads the conversation of a traced or recorded call. It is null if the trace has no spans. */
export const conversationQuery = (call: Call) => {
  const { account_sid, call_sid, trace_id } = call
  return queryOptions({
    queryKey: ['conversation', account_sid, call_sid, trace_id],
    queryFn: (context): Promise<Conversation | null> =>
      call_sid !== null
        ? api(
            'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation',
            { params: { account_sid, call_sid } },
            { ...queryCallOptions(context), call },
          )
        : deriveConversation(account_sid, trace_id ?? ''),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.recording?.status === 'analyzing' ? analyzingMs : false),
  })
}

/** Returns whether a conversation consists of nothing but its sources. */
export const isEmptyConversation = ({ turns, events }: Pick<Conversation, 'turns' | 'events'>): boolean =>
  turns.length + events.length === 0

/** Returns whether spans of a trace are part of a conversation, besides a recording and the events of an agent. */
export const isFromTrace = ({ sources }: Pick<Conversation, 'sources'>): boolean =>
  sources.some(({ service }) => service !== agentEventSource)

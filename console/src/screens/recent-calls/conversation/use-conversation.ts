import type { Call } from '@patchbay/contract/recent-calls'
import { findRecordSpan } from '@patchbay/rules/recordings/regions'
import { isTraceId, parseSpans } from '@patchbay/rules/traces/traces'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { traceQuery } from '../call-detail-queries.ts'
import { conversationQuery } from './conversation-query.ts'
import { getFileStart } from './file-start.ts'

/** Reads the conversation of a call, and from its trace when the recording began. */
export const useConversation = (call: Call) => {
  const { account_sid, trace_id } = call
  const query = useQuery(conversationQuery(call))
  const trace = useQuery({ ...traceQuery(account_sid, trace_id ?? ''), enabled: isTraceId(trace_id) })
  const record = useMemo(() => findRecordSpan(parseSpans(trace.data)), [trace.data])
  const conversation = query.data
  const tracedStartMs =
    record && conversation ? Number(record.start / 1_000_000n) - Date.parse(conversation.started_at) : undefined
  return {
    query,
    /** Milliseconds from the beginning of the conversation to that of the recording. Undefined if it is unknown. */
    recordingStartMs: conversation?.recording ? getFileStart(conversation.recording) : tracedStartMs,
  }
}

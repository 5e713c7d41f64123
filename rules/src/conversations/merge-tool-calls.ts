import type { ConversationEvent } from '@patchbay/contract/conversations'
import type { ToolCall } from './agent-event-rules.ts'
import { maxDetailLength } from './call-events.ts'
import { findLastBefore } from './response-gap.ts'

/** Merges the calls of tools that an agent reports with those of a trace. Pure. */

/** Reports of the same call differ by the delivery of events. */
const toleranceMs = 5000

interface PlacedToolCall extends Omit<ToolCall, 'id'> {
  at_ms: number
}

/** Returns the events of a trace, those that are calls of tools with their arguments, and the calls that it does not have. */
export const mergeToolCalls = (
  events: readonly ConversationEvent[],
  toolCalls: readonly PlacedToolCall[],
): ConversationEvent[] => {
  const callsByName = new Map<string, ConversationEvent[]>()
  for (const event of events.toSorted((a, b) => a.at_ms - b.at_ms)) {
    if (event.kind !== 'tool_call') continue
    const sameName = callsByName.get(event.detail)
    if (sameName === undefined) callsByName.set(event.detail, [event])
    else sameName.push(event)
  }
  const reports = new Map<ConversationEvent, Pick<ConversationEvent, 'arguments' | 'error'>>()
  const added: ConversationEvent[] = []
  for (const { at_ms, name, arguments: text, isFailed } of toolCalls) {
    const failure = isFailed ? { error: '' } : {}
    const candidates = findLastBefore(callsByName.get(name) ?? [], (event) => event.at_ms, at_ms + toleranceMs)
    const same = candidates.find((event) => event.at_ms >= at_ms - toleranceMs && !reports.has(event))
    if (same !== undefined) reports.set(same, { ...failure, arguments: text ?? same.arguments })
    else
      added.push({ kind: 'tool_call', at_ms, duration_ms: 0, detail: name, arguments: text, ...failure, span_id: null })
  }
  const merged = events.map((event) => ({
    ...reports.get(event),
    ...event,
    arguments: reports.get(event)?.arguments ?? event.arguments,
  }))
  return [...merged, ...added]
}

/** Returns an error that an agent reports as an event. */
export const toErrorEvent = (at_ms: number, message: string): ConversationEvent => ({
  kind: 'error',
  at_ms,
  duration_ms: 0,
  detail: message.slice(0, maxDetailLength),
  arguments: null,
  span_id: null,
})

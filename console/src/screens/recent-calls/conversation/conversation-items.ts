import type { Conversation, ConversationEvent, OtherStep, Turn } from '@patchbay/contract/conversations'
import { longSilenceMs } from '@patchbay/contract/shared/durations'
import { findDigits, findUnexplainedParts } from '@patchbay/rules/conversations/busy-ranges'

/** Prepares the turns and events of a conversation for its list. Pure. Times are milliseconds, as in the contract. */

export type ConversationItem = { key: string } & (
  | { kind: 'turn'; turn: Turn }
  | { kind: 'event'; event: ConversationEvent }
  | { kind: 'silence'; start_ms: number; duration_ms: number }
)

/** An item, or a span that belongs to none. */
export type ListedItem = ConversationItem | { key: string; kind: 'step'; step: OtherStep }

/** Returns the instant that orders turns: their beginning, or the end of a caller's turn whose beginning is not measured. */
const getTurnOrder = ({ speaker, start_evidence, start_ms, end_ms }: Turn): number =>
  speaker === 'caller' && start_evidence !== 'measured' ? end_ms : start_ms

const getOrder = (item: ListedItem): number => {
  if (item.kind === 'turn') return getTurnOrder(item.turn)
  if (item.kind === 'step') return item.step.at_ms
  return item.kind === 'event' ? item.event.at_ms : item.start_ms
}

/** Returns the silences before turns whose beginning is known. The wait for a response is a gap, not a silence. */
const findSilences = ({ turns, events, busy_ranges = [] }: ConversationParts): ConversationItem[] => {
  const digits = findDigits(events)
  let latestEnd: number | undefined
  return turns.flatMap(({ start_ms, start_evidence, end_ms, gap }, position): ConversationItem[] => {
    const start = latestEnd
    latestEnd = Math.max(latestEnd ?? end_ms, end_ms)
    if (start === undefined || gap !== null || start_evidence === 'unknown') return []
    return findUnexplainedParts(busy_ranges, digits, { start, end: start_ms })
      .filter((silence) => silence.end - silence.start >= longSilenceMs)
      .map((silence, part) => ({
        kind: 'silence',
        key: part === 0 ? `silence-${position}` : `silence-${position}-${part}`,
        start_ms: silence.start,
        duration_ms: silence.end - silence.start,
      }))
  })
}

/** Silences and gaps begin when the caller stops to speak, by the recording and by the trace. */
const toleranceMs = 500

/** Returns the silences that the recording contains, without those that are the wait for a response. */
const getMeasuredSilences = ({ turns, events }: ConversationParts): ConversationItem[] => {
  const gapStarts = turns.flatMap(({ gap }) => (gap === null ? [] : [gap.start_ms]))
  return events
    .filter(({ kind, at_ms }) => kind === 'silence' && !gapStarts.some((at) => Math.abs(at - at_ms) <= toleranceMs))
    .map(({ at_ms, duration_ms }): ConversationItem => {
      return { kind: 'silence', key: `silence-${at_ms}`, start_ms: at_ms, duration_ms }
    })
}

type ConversationParts = Pick<Conversation, 'turns' | 'events' | 'recording'> &
  Partial<Pick<Conversation, 'busy_ranges'>>

/** Returns turns, events, and silences in the order of the conversation. */
export const toItems = (conversation: ConversationParts): readonly ConversationItem[] => {
  const { turns, events, recording } = conversation
  const isMeasured = recording?.status === 'analyzed' && recording.start_ms !== null
  return [
    ...(isMeasured ? getMeasuredSilences(conversation) : findSilences(conversation)),
    ...turns.map((turn, position): ConversationItem => ({ kind: 'turn', key: `turn-${position}`, turn })),
    ...events
      .filter(({ kind }) => kind !== 'silence')
      .map((event, position): ConversationItem => ({ kind: 'event', key: `event-${position}`, event })),
  ].toSorted((a, b) => getOrder(a) - getOrder(b))
}

/** Returns the items together with the other steps, in their order. */
export const withSteps = (items: readonly ConversationItem[], steps: readonly OtherStep[]): readonly ListedItem[] =>
  [...items, ...steps.map((step): ListedItem => ({ key: `step-${step.span_id}`, kind: 'step', step }))].toSorted(
    (a, b) => getOrder(a) - getOrder(b),
  )

/** Returns the time that the list shows for an item. */
export const getTime = (item: ListedItem): number => (item.kind === 'turn' ? item.turn.start_ms : getOrder(item))

import type { Conversation, ConversationEvent, Turn } from '@patchbay/contract/conversations'

/** Prepares the turns and events of a conversation for its list. Pure. Times are milliseconds, as in the contract. */

/** A silence is reported if neither side speaks for this long, and the agent does not owe a response. */
export const longSilenceMs = 4000

export type ConversationItem = { key: string } & (
  | { kind: 'turn'; turn: Turn }
  | { kind: 'event'; event: ConversationEvent }
  | { kind: 'silence'; start_ms: number; duration_ms: number }
)

/** Returns the instant that orders turns: the end of the caller's speech, or the beginning of the agent's audio. */
const getTurnOrder = ({ speaker, start_ms, end_ms }: Turn): number => (speaker === 'caller' ? end_ms : start_ms)

const getOrder = (item: ConversationItem): number => {
  if (item.kind === 'turn') return getTurnOrder(item.turn)
  return item.kind === 'event' ? item.event.at_ms : item.start_ms
}

/** Returns the silences before turns whose beginning is known. The wait for a response is a gap, not a silence. */
const findSilences = (turns: readonly Turn[]): ConversationItem[] => {
  let latestEnd: number | undefined
  return turns.flatMap(({ start_ms, start_evidence, end_ms, gap }, position): ConversationItem[] => {
    const start = latestEnd
    latestEnd = Math.max(latestEnd ?? end_ms, end_ms)
    if (start === undefined || gap !== null || start_evidence === 'unknown') return []
    const duration_ms = start_ms - start
    return duration_ms < longSilenceMs
      ? []
      : [{ kind: 'silence', key: `silence-${position}`, start_ms: start, duration_ms }]
  })
}

/** Returns turns, events, and silences in the order of the conversation. */
export const toItems = ({ turns, events }: Pick<Conversation, 'turns' | 'events'>): readonly ConversationItem[] =>
  [
    ...findSilences(turns),
    ...turns.map((turn, position): ConversationItem => ({ kind: 'turn', key: `turn-${position}`, turn })),
    ...events.map((event, position): ConversationItem => ({ kind: 'event', key: `event-${position}`, event })),
  ].toSorted((a, b) => getOrder(a) - getOrder(b))

/** Returns the time that the list shows for an item. */
export const getTime = (item: ConversationItem): number => (item.kind === 'turn' ? item.turn.start_ms : getOrder(item))

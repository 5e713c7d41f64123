import type { Turn } from '@patchbay/contract/conversations'
import type { FindSoundEdge } from '@patchbay/rules/recordings/regions'
import type { ConversationItem } from './conversation-items.ts'

/** Places the items of a conversation in its recording. Pure. Positions are seconds from the beginning of the recording. */

export interface ItemPosition {
  key: string
  from: number
  until: number
}

/**
 * Returns the position of a turn. The trace says when the caller began to speak in whole seconds or not at all, so the
 * audio is used.
 */
const placeTurn = (
  { speaker, start_ms, start_evidence, end_ms }: Turn,
  toPosition: (ms: number) => number,
  findSoundBegin: FindSoundEdge,
) => {
  const [from, until] = [toPosition(start_ms), toPosition(end_ms)]
  const isExact = start_evidence === 'measured' || (start_evidence === 'derived' && speaker === 'agent')
  const heard =
    !isExact && until > 0 ? findSoundBegin(speaker === 'caller' ? 0 : 1, Math.max(0, from), until) : undefined
  return { from: heard ?? from, until }
}

/** Returns the positions of all turns that end after the beginning of the recording and start before its end. */
export const placeTurns = (
  items: readonly ConversationItem[],
  toPosition: (ms: number) => number,
  { duration, findSoundBegin }: { duration: number; findSoundBegin: FindSoundEdge },
): readonly ItemPosition[] =>
  items.flatMap((item) => {
    if (item.kind !== 'turn') return []
    const { from, until } = placeTurn(item.turn, toPosition, findSoundBegin)
    if (until <= 0 || from >= duration) return []
    return [{ key: item.key, from: Math.max(0, from), until: Math.min(until, duration) }]
  })

/** Returns the turn that plays at a position: the last one that began before it. */
export const findTurnAt = (positions: readonly ItemPosition[], at: number): string | undefined =>
  positions.reduce<ItemPosition | undefined>(
    (latest, one) => (one.from <= at && (latest === undefined || one.from >= latest.from) ? one : latest),
    undefined,
  )?.key

/** Returns the turn that begins nearest to a time of the conversation in milliseconds. */
export const findNearestTurn = (items: readonly ConversationItem[], ms: number): string | undefined => {
  let nearest: { key: string; distance: number } | undefined
  for (const item of items) {
    if (item.kind !== 'turn') continue
    const distance = Math.abs(item.turn.start_ms - ms)
    if (nearest === undefined || distance < nearest.distance) nearest = { key: item.key, distance }
  }
  return nearest?.key
}

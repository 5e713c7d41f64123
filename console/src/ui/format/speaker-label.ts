import type { Conversation, Turn } from '@patchbay/contract/conversations'
import { getWhoLabel } from '@patchbay/rules/recordings/speaker-names'

type Direction = Conversation['direction']

/** Returns who speaks in a turn. The side of the agent can be another party, such as after a transfer. */
export const getSpeakerLabel = (
  { speaker, is_other_side }: Pick<Turn, 'speaker' | 'is_other_side'>,
  direction: Direction,
): string => {
  if (is_other_side === true) return getWhoLabel('other_side', direction)
  return getWhoLabel(speaker === 'agent' ? 'platform' : 'caller', direction)
}

/** Returns the name of a side within a sentence, such as `the called party`. */
export const getSideText = (speaker: Turn['speaker'], direction: Direction): string =>
  `the ${getSpeakerLabel({ speaker }, direction).toLowerCase()}`

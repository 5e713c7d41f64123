import type { Conversation, Turn } from '@patchbay/contract/conversations'
import { getWhoLabel, type Who } from '@patchbay/rules/recordings/speaker-names'

type Direction = Conversation['direction']

type Speaker = Pick<Turn, 'speaker' | 'is_other_side'>

/** Returns who speaks in a turn. The side of the agent can be another party, such as after a transfer. */
export const getWho = ({ speaker, is_other_side }: Speaker): Who => {
  if (is_other_side === true) return 'other_side'
  return speaker === 'agent' ? 'platform' : 'caller'
}

/** Returns the name of who speaks in a turn. */
export const getSpeakerLabel = (turn: Speaker, direction: Direction): string => getWhoLabel(getWho(turn), direction)

/** Returns the name of a side within a sentence, such as `the called party`. */
export const getSideText = (speaker: Turn['speaker'], direction: Direction): string =>
  `the ${getSpeakerLabel({ speaker }, direction).toLowerCase()}`

import { formatClock } from '@patchbay/contract/shared/durations'

/**
 * Formats a time of a conversation, in milliseconds since the start of the call. Call, search, and shared link state
 * this time, so that a turn has the same one everywhere. Times of the recording cannot be the same: calls and links
 * without a recording have none, and the search does not know when recordings begin. To find a turn in the player, its
 * waveform has the turns, and a note below the conversation says how much later the recording begins.
 */
export const formatConversationTime = (ms: number): string => formatClock(ms / 1000)

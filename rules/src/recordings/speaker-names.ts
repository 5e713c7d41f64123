/** Names those who speak in a call, the same in a transcript, a conversation, and a waveform. */

export type Who = 'caller' | 'platform' | 'other_side'

/** Returns the name of the side that calls an inbound call, and is called by an outbound one. */
export const getCallerLabel = (direction: string | null | undefined): 'Caller' | 'Called party' =>
  direction === 'outbound' ? 'Called party' : 'Caller'

/**
 * Returns the name of a speaker. The other side is what the caller hears besides synthesized speech: another party, a
 * program, or an audio file.
 */
export const getWhoLabel = (who: Who, direction: string | null | undefined): string =>
  ({ caller: getCallerLabel(direction), platform: 'Agent', other_side: 'Other side' })[who]

import type { Conversation } from '@patchbay/contract/conversations'

/**
 * Returns the beginning of the file, which the player shows, in milliseconds since the start of the conversation: before
 * that of the recording by the silence of its encoder. Undefined if it is unknown.
 */
export const getFileStart = ({
  start_ms,
  encoder_delay_ms,
}: NonNullable<Conversation['recording']>): number | undefined =>
  start_ms === null ? undefined : start_ms - encoder_delay_ms

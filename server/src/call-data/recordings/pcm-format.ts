/**
 * Format of received audio: 16-bit little-endian samples of two interleaved channels
 * (docs/reference/platform-api/recordings.md#recording-websocket).
 */

export const channelCount = 2
/** Bytes of one sample of both channels. */
export const pairBytes = 2 * channelCount

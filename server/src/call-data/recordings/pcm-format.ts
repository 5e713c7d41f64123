/**
 * Format of received audio: 16-bit little-endian samples of two interleaved channels (api/4-calls-and-hosted.md §2.8).
 */

export const channelCount = 2
/** Bytes of one sample of both channels. */
export const pairBytes = 2 * channelCount

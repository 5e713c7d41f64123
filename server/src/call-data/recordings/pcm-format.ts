/** What is recorded: 16 bit little-endian samples of two channels, in turn (api/4-calls-and-hosted.md §2.8). */

export const channelCount = 2
/** bytes of a sample of each channel */
export const pairBytes = 2 * channelCount

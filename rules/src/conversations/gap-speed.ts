import { slowGapMs } from '@patchbay/contract/conversations/figures'

/** Judges the response gap of a conversation. Pure. */

/** Callers begin to repeat themselves after such a wait. */
const verySlowGapMs = 3000

export type GapSpeed = 'normal' | 'slow' | 'very slow'

export const getGapSpeed = (duration_ms: number): GapSpeed => {
  if (duration_ms >= verySlowGapMs) return 'very slow'
  return duration_ms >= slowGapMs ? 'slow' : 'normal'
}

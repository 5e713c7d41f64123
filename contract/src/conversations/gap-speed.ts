/** Judges the response gap of a conversation. Pure. */

/** Callers notice a longer wait, and begin to repeat themselves after a very long one. */
export const slowGapMs = 1500
const verySlowGapMs = 3000

export type GapSpeed = 'normal' | 'slow' | 'very slow'

export const getGapSpeed = (duration_ms: number): GapSpeed => {
  if (duration_ms >= verySlowGapMs) return 'very slow'
  return duration_ms >= slowGapMs ? 'slow' : 'normal'
}

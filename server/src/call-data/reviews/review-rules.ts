import type { ReviewReason } from '@patchbay/contract/shared/review-limits'
import { toBucket } from '@patchbay/rules/conversations/duration-buckets'
import { getAmount, type Sums } from '@patchbay/rules/conversations/sums'

/** Selects the calls that are to be reviewed. Pure. */

export interface ReviewRules {
  /** Selects calls with a response after at least this many milliseconds. Null if slow calls are not selected. */
  slow_ms: number | null
  /** Selects calls in which the caller or the agent interrupted the other. */
  interrupted: boolean
  /** Selects calls with an error. */
  failed: boolean
  /** Selects this percentage of all calls. */
  random_percent: number
}

export type RuleReason = Exclude<ReviewReason, 'manual'>

/** Returns a number from 0 to 99 that is the same each time a call is computed (FNV-1a, 32 bits). */
const toPercentile = (call_sid: string): number => {
  let hash = 0x811c9dc5
  for (let position = 0; position < call_sid.length; position += 1)
    hash = Math.imul(hash ^ call_sid.charCodeAt(position), 0x01000193)
  // The low bits of FNV-1a depend on the last characters only.
  return ((hash ^ (hash >>> 15)) >>> 0) % 100
}

/**
 * Returns why a call is to be reviewed. Gaps are compared by their bucket, as in statistics.
 * @param sums those of the conversation in the dimension `all`
 */
export const findReviewReasons = (call_sid: string, sums: Sums, rules: ReviewRules): RuleReason[] => {
  const has = (measure: string) => getAmount(sums, measure) > 0
  if (!has('conversations')) return []
  const { slow_ms, interrupted, failed, random_percent } = rules
  const isSelected: Record<RuleReason, boolean> = {
    slow: slow_ms !== null && (sums.get('gap')?.length ?? 0) > toBucket(slow_ms),
    interrupted: interrupted && (has('caller_interruptions') || has('agent_interruptions')),
    failed: failed && has('errors'),
    random: toPercentile(call_sid) < random_percent,
  }
  return (Object.keys(isSelected) as RuleReason[]).filter((reason) => isSelected[reason])
}

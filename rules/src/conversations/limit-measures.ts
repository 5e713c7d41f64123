import type { LimitMeasure } from '@patchbay/contract/conversations/figures'
import { getPercentiles } from './duration-buckets.ts'
import { getAmount, type Sums } from './sums.ts'

/** Compares conversations with limits. Pure. */

/** Formats a limit or a measured value, such as 1.5 s or 12 %. */
export const formatMeasure = (measure: LimitMeasure, value: number): string =>
  measure === 'gap_p95_ms' ? `${Number((value / 1000).toFixed(2))} s` : `${Number(value.toFixed(1))} %`

const toPercent = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : (part / whole) * 100)

/**
 * Returns the measured values. A value is absent if the conversations do not contain it.
 * @param sums the sums of all conversations
 * @param failed the number of conversations with an error
 */
export const measureConversations = (sums: Sums, failed: number): Partial<Record<LimitMeasure, number>> => {
  const getSum = (measure: string): number => getAmount(sums, measure)
  const values: Record<LimitMeasure, number | null | undefined> = {
    gap_p95_ms: getPercentiles(sums.get('gap') ?? []).p95,
    interrupted_percent: toPercent(getSum('caller_interruptions'), getSum('agent_turns')),
    talked_over_percent: toPercent(getSum('agent_interruptions'), getSum('caller_turns')),
    failed_percent: toPercent(failed, getSum('conversations')),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))
}

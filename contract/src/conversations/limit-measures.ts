import { getPercentiles } from './duration-buckets.ts'
import { getAmount, type Sums } from './sums.ts'

/** Compares conversations with limits. Pure, and without schemas, because the console uses it too. */

/** Measures that can have a limit. Each is a member of the limits (conversation-limits.ts). */
export const limitMeasures = ['gap_p95_ms', 'interrupted_percent', 'talked_over_percent', 'failed_percent'] as const
export type LimitMeasure = (typeof limitMeasures)[number]

/** The smallest and the largest value of each member of the limits. */
export const limitRanges = {
  gap_p95_ms: [100, 60_000],
  interrupted_percent: [1, 100],
  talked_over_percent: [1, 100],
  failed_percent: [1, 100],
  minutes: [5, 1440],
  min_conversations: [1, 1000],
} as const

/** Names of the measures, inside a sentence. */
export const limitMeasureNames: Readonly<Record<LimitMeasure, string>> = {
  gap_p95_ms: '95th percentile of the response gap',
  interrupted_percent: 'share of the agent’s turns that callers interrupted',
  talked_over_percent: 'share of the callers’ turns that the agent interrupted',
  failed_percent: 'share of conversations with an error',
}

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

import type { LimitMeasure } from '@patchbay/contract/conversations/figures'
import { getPercentiles } from './duration-buckets.ts'
import { getAmount, type Sums } from './sums.ts'

/** Compares conversations with limits. Pure. */

const formatWith = (measure: LimitMeasure, value: number, decimals: number): string =>
  measure === 'gap_p95_ms'
    ? `${Number((value / 1000).toFixed(decimals + 1))} s`
    : `${Number(value.toFixed(decimals))} %`

/** More decimals would show how numbers are stored. */
const maxDecimals = 9

/**
 * Formats a limit or a measured value, such as 1.5 s or 12 %. Has more decimals while the text would be that of another
 * value: the limit with which it is compared, nothing, or 100 %.
 */
export const formatMeasure = (measure: LimitMeasure, value: number, ...comparedWith: readonly number[]): string => {
  const others = [...comparedWith, 0, ...(measure === 'gap_p95_ms' ? [] : [100])].filter((other) => other !== value)
  const isSame = (decimals: number) =>
    others.some((other) => formatWith(measure, other, decimals) === formatWith(measure, value, decimals))
  let decimals = 1
  while (decimals < maxDecimals && isSame(decimals)) decimals += 1
  return formatWith(measure, value, decimals)
}

/** Multiplies first, because 7 / 100 * 100 is more than 7. */
const toPercent = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : (part * 100) / whole)

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

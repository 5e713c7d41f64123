import type { ConversationFigures } from '../conversation-quality.ts'
import { getPercentiles } from './duration-buckets.ts'
import { amounts, durations } from './summarize.ts'

/** Computes the figures of conversations from their sums. Pure. */

/** A sum of contributions (summarize.ts). */
export interface MeasureSum {
  measure: string
  bucket: number
  amount: number
}

/** Returns the figures of these sums. Unknown measures, of newer versions, are ignored. */
export const toFigures = (sums: readonly MeasureSum[]): ConversationFigures => {
  const byMeasure = new Map<string, Map<number, number>>()
  for (const { measure, bucket, amount } of sums) {
    const buckets = byMeasure.get(measure) ?? new Map<number, number>()
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + amount)
    byMeasure.set(measure, buckets)
  }
  const getBuckets = (measure: string): ReadonlyMap<number, number> => byMeasure.get(measure) ?? new Map()
  const amountEntries = amounts.map((amount) => [amount, getBuckets(amount).get(0) ?? 0])
  const durationEntries = durations.map((duration) => [duration, getPercentiles(getBuckets(duration))])
  return {
    ...Object.fromEntries(amountEntries),
    durations: Object.fromEntries(durationEntries),
  } as ConversationFigures
}

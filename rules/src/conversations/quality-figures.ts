import type { ConversationFigures } from '@patchbay/contract/conversation-quality'
import { amounts, durations } from '@patchbay/contract/conversations/figures'
import { getPercentiles } from './duration-buckets.ts'
import { getAmount, type Sums } from './sums.ts'

/** Returns the figures of conversations from their sums. Ignores unknown measures, of newer versions. Pure. */
export const toFigures = (sums: Sums): ConversationFigures => {
  const amountEntries = amounts.map((amount) => [amount, getAmount(sums, amount)])
  const durationEntries = durations.map((duration) => [duration, getPercentiles(sums.get(duration) ?? [])])
  return {
    ...Object.fromEntries(amountEntries),
    durations: Object.fromEntries(durationEntries),
  } as ConversationFigures
}

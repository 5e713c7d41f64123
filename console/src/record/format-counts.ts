import { countText, type Nouns } from '../ui/list-bar.tsx'

/** What a record holds of kinds that have these names; of what there is none nothing. */
export const nonZeroCounts = <Kind extends string>(
  counts: Readonly<Partial<Record<Kind, number>>>,
  nouns: Readonly<Partial<Record<Kind, Nouns>>>,
): { count: number; names: Nouns }[] =>
  Object.entries<Nouns | undefined>(nouns).flatMap(([kind, names]) => {
    const count = counts[kind as Kind] ?? 0
    return names !== undefined && count > 0 ? { count, names } : []
  })

/** "3 users, 1 API key". */
export const formatCounts = (held: readonly { count: number; names: Nouns }[]): string =>
  held.map(({ count, names }) => countText(count, count, names)).join(', ')

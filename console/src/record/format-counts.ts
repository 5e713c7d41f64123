import { countText, type Nouns } from '../ui/format/text.ts'

/** Returns the counts of the kinds that are not zero, with their nouns. */
export const nonZeroCounts = <Kind extends string>(
  counts: Readonly<Partial<Record<Kind, number>>>,
  nouns: Readonly<Partial<Record<Kind, Nouns>>>,
): { count: number; names: Nouns }[] =>
  Object.entries<Nouns | undefined>(nouns).flatMap(([kind, names]) => {
    const count = counts[kind as Kind] ?? 0
    return names !== undefined && count > 0 ? { count, names } : []
  })

/** Formats counts with their nouns: `3 users, 1 API key`. */
export const formatCounts = (counts: readonly { count: number; names: Nouns }[]): string =>
  counts.map(({ count, names }) => countText(count, count, names)).join(', ')

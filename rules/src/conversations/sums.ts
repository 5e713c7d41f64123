import type { Contribution } from './summarize.ts'

/** Adds up contributions of conversations (summarize.ts), and converts the sums to text and back. Pure. */

/** The sum per bucket of each measure. Amounts have one bucket. */
export type Sums = Map<string, number[]>

/** A sum of one measure and bucket. */
export type Addend = Pick<Contribution, 'bucket' | 'amount'> & { measure: string }

const getBuckets = (sums: Sums, measure: string): number[] => {
  const existing = sums.get(measure)
  if (existing !== undefined) return existing
  const buckets: number[] = []
  sums.set(measure, buckets)
  return buckets
}

const addToBucket = (buckets: number[], bucket: number, amount: number): void => {
  while (buckets.length <= bucket) buckets.push(0)
  buckets[bucket] = (buckets[bucket] ?? 0) + amount
}

/** Adds to sums. `sign` is -1 to subtract. */
export const addToSums = (sums: Sums, { measure, bucket, amount }: Addend, sign: 1 | -1 = 1): void =>
  addToBucket(getBuckets(sums, measure), bucket, sign * amount)

/** Returns the sum of an amount. */
export const getAmount = (sums: Sums, measure: string): number => sums.get(measure)?.[0] ?? 0

/** Returns the sums of these contributions. */
export const sumUp = (addends: readonly Addend[]): Sums => {
  const sums: Sums = new Map()
  for (const addend of addends) addToSums(sums, addend)
  return sums
}

/** Adds sums to others. */
export const mergeSums = (into: Sums, sums: Sums): void => {
  for (const [measure, amounts] of sums) {
    const buckets = getBuckets(into, measure)
    for (const [bucket, amount] of amounts.entries()) if (amount !== 0) addToBucket(buckets, bucket, amount)
  }
}

/**
 * Returns sums as JSON: an object with an array per measure, of the first bucket and the sums from there on, such as
 * `{"conversations":[0,12],"gap":[52,1,0,3]}`.
 */
export const formatSums = (sums: Sums): string => {
  const entries = [...sums].flatMap(([measure, buckets]): [string, number[]][] => {
    const first = buckets.findIndex((amount) => amount !== 0)
    const last = buckets.findLastIndex((amount) => amount !== 0)
    return first === -1 ? [] : [[measure, [first, ...buckets.slice(first, last + 1)]]]
  })
  return JSON.stringify(Object.fromEntries(entries))
}

/** Adds sums in the format of `formatSums` to others, without creating them. */
export const mergeFormattedSums = (into: Sums, text: string): void => {
  for (const [measure, [first = 0, ...amounts]] of Object.entries(JSON.parse(text) as Record<string, number[]>)) {
    const buckets = getBuckets(into, measure)
    for (const [position, amount] of amounts.entries()) addToBucket(buckets, first + position, amount)
  }
}

/** Returns sums in the format of `formatSums`. */
export const parseSums = (text: string): Sums => {
  const sums: Sums = new Map()
  mergeFormattedSums(sums, text)
  return sums
}

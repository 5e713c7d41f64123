import { hourMs } from '@patchbay/contract/shared/durations'
import { toHourNumber } from './call-counts.ts'
import { allTime, type Window } from './search-options.ts'

/** Locates the page of a search by the number of its calls in each hour, so that the last page is as fast as the first. */

/** Number of calls that were attempted in a time window. */
export interface Bucket extends Window {
  calls: number
}

/** Returns the time window of an hour since the epoch. */
export const hourWindow = (hour: number): Window => ({
  from: hour * hourMs,
  until: (hour + 1) * hourMs - 1,
})

/** Returns the part that two time windows share. */
export const overlap = (a: Window, b: Window): Window => ({
  from: Math.max(a.from, b.from),
  until: Math.min(a.until, b.until),
})

const maxHour = 2 ** 31 - 1

/** Splits a window into its complete hours and the partial hours at its ends. */
export const splitAtHours = (window: Window) => {
  const first = window.from === allTime.from ? -maxHour : Math.ceil(window.from / hourMs)
  const last = window.until === allTime.until ? maxHour : toHourNumber(window.until + 1) - 1
  if (first > last) return { hours: undefined, ends: [window] }
  const before = { from: window.from, until: first * hourMs - 1 }
  const after = { from: (last + 1) * hourMs, until: window.until }
  const ends = [
    ...(window.from === allTime.from ? [] : [before]),
    ...(window.until === allTime.until ? [] : [after]),
  ].filter(({ from, until }) => from <= until)
  return { hours: { first, last }, ends }
}

/** Returns the buckets from the newest to the oldest. */
export const newestFirst = (counted: readonly Bucket[]): Bucket[] => counted.toSorted((a, b) => b.from - a.from)

/** Finds the buckets that contain the page, and the number of calls to skip in the first of them. */
export const locatePage = (
  counted: readonly Bucket[],
  offset: number,
  size: number,
): { pageBuckets: Bucket[]; skip: number } => {
  let before = 0
  let skip = 0
  const pageBuckets: Bucket[] = []
  for (const bucket of counted) {
    if (before >= offset + size) break
    if (before + bucket.calls > offset) {
      if (pageBuckets.length === 0) skip = offset - before
      pageBuckets.push(bucket)
    }
    before += bucket.calls
  }
  return { pageBuckets, skip }
}

import { numberDigits } from '@patchbay/contract/phone-number/format'
import type { CallSearch } from '../../routes/recent-calls.ts'

/** Search parameters that clear the filters that only links can set. */
export const unnarrowed = { from: undefined, until: undefined, trunk: undefined, status: undefined }

/** Returns the query for a period of whole days in UTC, both inclusive. */
export const toDayRange = ({ from, until }: CallSearch): { start?: string; end?: string; days?: string } | undefined =>
  from || until
    ? { ...(from ? { start: `${from}T00:00:00.000Z` } : {}), ...(until ? { end: `${until}T23:59:59.999Z` } : {}) }
    : undefined

/**
 * Returns the value of the `filter` parameter. A number with spaces, dashes, or brackets is reduced to its digits.
 * Patchbay's server matches the text literally. The jambonz API server inserts it into a regular expression between
 * slashes, so the text is escaped for it.
 */
export const toFilterParam = (filter: string, isPlain: boolean): string => {
  const text = /^\+?\d+$/.test(filter) ? filter : (numberDigits(filter) ?? filter)
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

import { searchedNumber } from '@patchbay/rules/phone-number/searched-number'
import { config } from '../../api/configuration.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'

/** Search parameters that clear the filters of the dialog, which links can set too. */
export const unnarrowed = {
  from: undefined,
  until: undefined,
  trunk: undefined,
  result: undefined,
  sip_status: undefined,
  min_duration: undefined,
  max_duration: undefined,
  number: undefined,
  application_sid: undefined,
}

/** Returns whether the server has the filters that Patchbay adds to those of jambonz. It has all of them or none. */
export const hasMoreFilters = (): boolean => config().extensions.has('call-number-filter')

/** Returns the filters that the server supports beyond those of the jambonz API server. */
export const toExtendedFilters = (search: CallSearch) => {
  const { result, sip_status, min_duration, max_duration, number, application_sid } = hasMoreFilters()
    ? search
    : unnarrowed
  return { result, number, application_sid, max_duration, sip_status, min_duration }
}

const toInstant = (text: string, timeOfDay: string): string => (text.includes('T') ? text : `${text}T${timeOfDay}Z`)

/** Returns the query for a period of whole days in UTC, both inclusive, or of instants. */
export const toDayRange = ({ from, until }: CallSearch): { start?: string; end?: string; days?: string } | undefined =>
  from || until
    ? {
        ...(from ? { start: toInstant(from, '00:00:00.000') } : {}),
        ...(until ? { end: toInstant(until, '23:59:59.999') } : {}),
      }
    : undefined

/**
 * Returns how often the list refreshes. A search for a text reads many calls, so it does so less often. A period in the
 * past has no new calls.
 */
export const getRefreshIntervalMs = ({ date, until, filter, number }: CallSearch): number | false => {
  const isPast = until === undefined ? date === 'yesterday' : until < new Date().toISOString().slice(0, until.length)
  if (isPast) return false
  return filter || number ? 60_000 : 15_000
}

/**
 * Returns the value of the `filter` parameter. A number in any writing is reduced to its digits, which calls contain with
 * and without a plus sign.
 * Patchbay's server matches the text literally. The jambonz API server inserts it into a regular expression between
 * slashes, so the text is escaped for it.
 */
export const toFilterParam = (filter: string, isPlain: boolean): string => {
  const text = searchedNumber(filter)?.digits ?? filter
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

import { numberDigits } from '@patchbay/contract/rules/phone-numbers'
import { type Given, type ListSearch, listSearch, oneOf, said, textIn } from '../../page/list-search.ts'
import { stored } from '../../session/storage.ts'

/** The filters of recent calls, as the URL holds them. What is at its default is left out. */

export const dates = ['today', 'yesterday', '7', '14', '30'] as const
export type CallDate = (typeof dates)[number]

export interface CallSearch extends ListSearch {
  account?: string
  date?: CallDate
  direction?: 'inbound' | 'outbound'
  answered?: 'true' | 'false'
}

export const parseCallSearch = (given: Given): CallSearch =>
  said({
    account: textIn(given, 'account'),
    date: oneOf(dates, given['date']),
    direction: oneOf(['inbound', 'outbound'], given['direction']),
    answered: oneOf(['true', 'false'], given['answered']),
    ...listSearch(given),
  })

/** What a visit without filters starts with: the last date, direction and status (api/4-calls-and-hosted.md §6.1). */
export const rememberedSearch = (): CallSearch => {
  const [date, direction, answered] = (stored.queryFilter.read() ?? '').split('/')
  return parseCallSearch({ date: date === 'today' ? undefined : date, direction, answered })
}

export const rememberSearch = ({ date, direction, answered }: CallSearch): void =>
  stored.queryFilter.write([date ?? 'today', direction ?? 'io', answered ?? 'all'].join('/'))

/**
 * A number that is written with spaces, dashes or brackets is looked for by its digits. Our server looks for a text as it is; the platform's takes
 * it for a regular expression between slashes.
 */
export const filterSent = (filter: string, isPlain: boolean): string => {
  const text = /^\+?\d+$/.test(filter) ? filter : (numberDigits(filter) ?? filter)
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** The period of a date choice as the API takes it: local days as UTC instants, or a rolling window. */
export const periodOf = (date: CallDate, now = new Date()): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}

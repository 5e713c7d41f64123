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

import { type Given, type ListSearch, listSearch, oneOf, said, textIn } from '../../page/list-search.ts'

/** Which calls: those that are up stand for themselves. */
export interface LiveCallSearch extends ListSearch {
  account?: string
  state?: 'ended' | 'all'
  direction?: 'inbound' | 'outbound'
}

export const liveCallSearch = (given: Given): LiveCallSearch =>
  said({
    account: textIn(given, 'account'),
    state: oneOf(['ended', 'all'], given['state']),
    direction: oneOf(['inbound', 'outbound'], given['direction']),
    ...listSearch(given),
  })

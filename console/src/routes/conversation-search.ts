import { Search } from 'lucide-react'
import { type PeriodSearch, parsePeriodSearch } from './call-quality.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, textsIn } from './list-search-params.ts'

/** The filters of the conversation search in the URL. The filter of the list is the searched text. */

export interface ConversationSearch extends ListSearch, PeriodSearch {
  /** `caller` or `agent`. */
  speaker?: string
  application_sid?: string
}

/** Parses the filters of the conversation search. */
const parseConversationSearch = (params: Given): ConversationSearch =>
  omitUndefined({
    ...parsePeriodSearch(params),
    ...textsIn(params, 'speaker', 'application_sid'),
    ...listSearch(params),
  })

export const conversationSearch = defineScreen({
  path: '/internal/conversation-search',
  title: 'Conversation search',
  search: parseConversationSearch,
  serverExtension: 'conversation-search',
  menu: { group: 'Conversations', icon: Search, tab: 'Search' },
  shortcut: 'f',
})

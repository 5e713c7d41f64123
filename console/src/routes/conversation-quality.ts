import { MessagesSquare } from 'lucide-react'
import { type PeriodSearch, parsePeriodSearch } from './call-quality.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, textsIn } from './list-search-params.ts'

/** The filters of the conversation quality screen in the URL. */

export interface ConversationQualitySearch extends PeriodSearch {
  /** The property to group by. */
  by?: string
  /** Shows only the conversations with this value of the property. Empty for those without one. */
  value?: string | undefined
  /** Lists only the conversations of this day, YYYY-MM-DD. */
  day?: string | undefined
  /** Lists only the conversations with this problem. */
  problem?: string
}

/** Parses the filters of the conversation quality screen. */
export const parseConversationQualitySearch = (params: Given): ConversationQualitySearch =>
  omitUndefined({
    ...parsePeriodSearch(params),
    ...textsIn(params, 'by', 'day', 'problem'),
    // An empty value is one, too.
    value: params['value'] as string | undefined,
  })

export const conversationQuality = defineScreen({
  path: '/internal/conversation-quality',
  title: 'Conversation quality',
  search: parseConversationQualitySearch,
  serverExtension: 'conversation-quality',
  menu: { group: 'Conversations', icon: MessagesSquare, tab: 'Quality' },
  shortcut: 'e',
})

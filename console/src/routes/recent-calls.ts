import { PhoneCall } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { parseCallSearch, rememberedSearch } from '../screens/recent-calls/search.ts'

export type { CallSearch } from '../screens/recent-calls/search.ts'

export const recentCalls = defineScreen({
  path: '/internal/recent-calls',
  title: 'Recent calls',
  load: () => import('../screens/recent-calls/list.tsx'),
  search: parseCallSearch,
  remembered: rememberedSearch,
  menu: { group: 'general', icon: PhoneCall },
  key: 'c',
  pieces: [searchSelect],
})

/** The records of an account that name one call. */
export const oneCall = defineScreen({
  path: '/internal/recent-calls/$account_sid/$call_sid',
  title: 'Call',
  load: () => import('../screens/recent-calls/call-page.tsx'),
  under: recentCalls,
  ownAccount: true,
})

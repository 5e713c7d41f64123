import { PhoneCall } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { parseCallSearch, rememberedSearch } from './search.ts'

export type { CallSearch } from './search.ts'

export const recentCalls = defineScreen({
  path: '/internal/recent-calls',
  title: 'Recent calls',
  load: () => import('./list.tsx'),
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
  load: () => import('./call.tsx'),
  under: recentCalls,
  ownAccount: true,
})

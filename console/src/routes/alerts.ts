import { CircleAlert } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { parseAlertSearch, rememberedSearch } from '../screens/alerts/search.ts'

export const alerts = defineScreen({
  path: '/internal/alerts',
  title: 'Alerts',
  load: () => import('../screens/alerts/list.tsx'),
  search: parseAlertSearch,
  remembered: rememberedSearch,
  menu: {
    group: 'general',
    icon: CircleAlert,
    badge: async () => (await import('../screens/alerts/unread-badge.tsx')).Badge,
  },
  key: 'l',
  pieces: [searchSelect],
})

import { CircleAlert } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { parseAlertSearch, rememberedSearch } from './search.ts'

export const alerts = defineScreen({
  path: '/internal/alerts',
  title: 'Alerts',
  load: () => import('./list.tsx'),
  search: parseAlertSearch,
  remembered: rememberedSearch,
  menu: { group: 'general', icon: CircleAlert, badge: async () => (await import('./badge.tsx')).Badge },
  key: 'l',
  pieces: [searchSelect],
})

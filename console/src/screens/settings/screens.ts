import { Settings } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const settings = defineScreen({
  path: '/internal/settings',
  title: 'Settings',
  load: () => import('./settings.tsx'),
  minScope: 'service_provider',
  refusal: 'You do not have permissions to manage Settings',
  search: tabSearch,
  menu: { group: 'general', icon: Settings },
  key: 's',
})

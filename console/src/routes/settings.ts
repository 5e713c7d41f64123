import { Settings } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const settings = defineScreen({
  path: '/internal/settings',
  title: 'Settings',
  load: () => import('../screens/settings/settings.tsx'),
  minScope: 'service_provider',
  refusal: 'You do not have permissions to manage Settings',
  search: tabSearch,
  menu: { group: 'general', icon: Settings },
  key: 's',
})

import { Activity } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { liveCallSearch } from './search.ts'

export const liveCalls = defineScreen({
  path: '/internal/live-calls',
  title: 'Live calls',
  load: () => import('./list.tsx'),
  search: liveCallSearch,
  menu: { group: 'general', icon: Activity },
  key: 'i',
})

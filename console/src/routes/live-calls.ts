import { Activity } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { liveCallSearch } from '../screens/live-calls/search.ts'

export const liveCalls = defineScreen({
  path: '/internal/live-calls',
  title: 'Live calls',
  load: () => import('../screens/live-calls/list.tsx'),
  search: liveCallSearch,
  menu: { group: 'general', icon: Activity },
  key: 'i',
})

import { Activity } from 'lucide-react'
import { screen } from '../../page/screen.ts'
import { liveCallSearch } from './search.ts'

export const liveCalls = screen({
  path: '/internal/live-calls',
  title: 'Live calls',
  load: () => import('./list.tsx'),
  search: liveCallSearch,
  menu: { group: 'general', icon: Activity },
  key: 'i',
})

import { ChartColumn } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { parseQualitySearch } from '../screens/call-quality/search.ts'

export const callQuality = defineScreen({
  path: '/internal/call-quality',
  title: 'Call quality',
  load: () => import('../screens/call-quality/quality.tsx'),
  search: parseQualitySearch,
  extension: 'call-quality',
  menu: { group: 'general', icon: ChartColumn },
  key: 'q',
  pieces: [searchSelect],
})

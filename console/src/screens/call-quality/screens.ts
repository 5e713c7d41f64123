import { ChartColumn } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { parseQualitySearch } from './search.ts'

export const callQuality = defineScreen({
  path: '/internal/call-quality',
  title: 'Call quality',
  load: () => import('./quality.tsx'),
  search: parseQualitySearch,
  extension: 'call-quality',
  menu: { group: 'general', icon: ChartColumn },
  key: 'q',
  pieces: [searchSelect],
})

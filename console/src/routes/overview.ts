import { Gauge } from 'lucide-react'
import { defineScreen } from './define-screen.ts'

export const overview = defineScreen({
  path: '/internal/overview',
  title: 'Overview',
  serverExtension: 'overview',
  menu: { group: 'Overview', icon: Gauge },
  shortcut: 'w',
})

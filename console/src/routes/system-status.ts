import { CircleCheck } from 'lucide-react'
import { defineScreen } from './define-screen.ts'

export const systemStatus = defineScreen({
  path: '/internal/system',
  title: 'System status',
  minScope: 'admin',
  serverExtension: 'system-status',
  menu: { group: 'Manage', icon: CircleCheck },
  shortcut: 'y',
})

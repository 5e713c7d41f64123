import { History } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { parseAuditSearch } from '../screens/audit-trail/search.ts'

export const auditTrail = defineScreen({
  path: '/internal/audit-trail',
  title: 'Audit trail',
  load: () => import('../screens/audit-trail/list.tsx'),
  minScope: 'service_provider',
  refusal: 'You do not have permissions to view the audit trail',
  extension: 'audit-trail',
  search: parseAuditSearch,
  menu: { group: 'general', icon: History },
  key: 'h',
})

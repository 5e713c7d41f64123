import { applicationAttention } from '@patchbay/contract/shared/attention-kinds'
import { AppWindow } from 'lucide-react'
import { attentionSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const applicationList = defineScreen({
  path: '/internal/applications',
  title: 'Applications',
  search: attentionSearch(applicationAttention),
  menu: { group: 'Manage', icon: AppWindow },
  shortcut: 'p',
})

export const addApplication = defineScreen({
  path: '/internal/applications/add',
  title: 'Add an application',
  parent: applicationList,
  requiresWrite: true,
})

export const editApplication = defineScreen({
  path: '/internal/applications/$application_sid/edit',
  title: 'Edit application',
  search: tabSearch,
  parent: applicationList,
})

import { AppWindow } from 'lucide-react'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const applicationList = defineScreen({
  path: '/internal/applications',
  title: 'Applications',
  load: () => import('../screens/applications/list.tsx'),
  search: accountSearch,
  menu: { group: 'general', icon: AppWindow },
  key: 'p',
  records: () => import('../screens/applications/records.ts'),
  pieces: [searchSelect],
})

export const addApplication = defineScreen({
  path: '/internal/applications/add',
  title: 'Add an application',
  load: () => import('../screens/applications/add.tsx'),
  under: applicationList,
  changes: true,
})

export const editApplication = defineScreen({
  path: '/internal/applications/$application_sid/edit',
  title: 'Edit application',
  load: () => import('../screens/applications/edit.tsx'),
  search: tabSearch,
  under: applicationList,
})

export const applicationScreens = [applicationList, addApplication, editApplication]

import { AppWindow } from 'lucide-react'
import { accountSearch } from '../../page/account-search.ts'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const applicationList = defineScreen({
  path: '/internal/applications',
  title: 'Applications',
  load: () => import('./list.tsx'),
  search: accountSearch,
  menu: { group: 'general', icon: AppWindow },
  key: 'p',
  records: () => import('./records.ts'),
  pieces: [searchSelect],
})

export const addApplication = defineScreen({
  path: '/internal/applications/add',
  title: 'Add an application',
  load: () => import('./add.tsx'),
  under: applicationList,
  changes: true,
})

export const editApplication = defineScreen({
  path: '/internal/applications/$application_sid/edit',
  title: 'Edit application',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: applicationList,
})

export const applicationScreens = [applicationList, addApplication, editApplication]

import { listSearch } from './list-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'
import { alerts } from './alerts.ts'

const extension = 'alert-destinations'

export const destinationList = defineScreen({
  path: '/internal/alert-destinations',
  title: 'Alert destinations',
  load: () => import('../screens/alert-destinations/list.tsx'),
  search: listSearch,
  extension,
  under: alerts,
})

export const addDestination = defineScreen({
  path: '/internal/alert-destinations/add',
  title: 'Add an alert destination',
  load: () => import('../screens/alert-destinations/add.tsx'),
  extension,
  under: destinationList,
  changes: true,
})

export const editDestination = defineScreen({
  path: '/internal/alert-destinations/$alert_destination_sid/edit',
  title: 'Edit alert destination',
  load: () => import('../screens/alert-destinations/edit.tsx'),
  search: tabSearch,
  extension,
  under: destinationList,
})

export const destinationScreens = [destinationList, addDestination, editDestination]

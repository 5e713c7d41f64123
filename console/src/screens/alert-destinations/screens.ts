import { listSearch } from '../../page/list-search.ts'
import { defineScreen } from '../../page/screen.ts'
import { tabSearch } from '../../page/tab-search.ts'
import { alerts } from '../alerts/screens.ts'

const extension = 'alert-destinations'

export const destinationList = defineScreen({
  path: '/internal/alert-destinations',
  title: 'Alert destinations',
  load: () => import('./list.tsx'),
  search: listSearch,
  extension,
  under: alerts,
})

export const addDestination = defineScreen({
  path: '/internal/alert-destinations/add',
  title: 'Add an alert destination',
  load: () => import('./add.tsx'),
  extension,
  under: destinationList,
  changes: true,
})

export const editDestination = defineScreen({
  path: '/internal/alert-destinations/$alert_destination_sid/edit',
  title: 'Edit alert destination',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  extension,
  under: destinationList,
})

export const destinationScreens = [destinationList, addDestination, editDestination]

import { alerts } from './alerts.ts'
import { defineScreen } from './define-screen.ts'
import { listSearch } from './list-search-params.ts'
import { tabSearch } from './tab-search-params.ts'

const serverExtension = 'alert-destinations'

export const destinationList = defineScreen({
  path: '/internal/alert-destinations',
  title: 'Alert destinations',
  search: listSearch,
  serverExtension,
  parent: alerts,
  inPalette: true,
})

export const addDestination = defineScreen({
  path: '/internal/alert-destinations/add',
  title: 'Add an alert destination',
  serverExtension,
  parent: destinationList,
  requiresWrite: true,
})

export const editDestination = defineScreen({
  path: '/internal/alert-destinations/$alert_destination_sid/edit',
  title: 'Edit alert destination',
  search: tabSearch,
  serverExtension,
  parent: destinationList,
})

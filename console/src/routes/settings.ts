import { Settings } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const settings = defineScreen({
  path: '/internal/settings',
  title: 'Settings',
  minScope: 'service_provider',
  deniedMessage: 'You do not have permissions to manage Settings',
  search: tabSearch,
  menu: { group: 'Manage', icon: Settings },
  shortcut: 's',
})

/** The part of the URL that opens the form for a new SIP address. */
export const addSipAddressHash = 'add-sip-address'

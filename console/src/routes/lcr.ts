import { Split } from 'lucide-react'
import { config } from '../api/configuration.ts'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

const entry = { group: 'byo', icon: Split, label: 'Outbound Call Routing' } as const

/** The menu has it unless it is switched off; the screens open by their address all the same. */
const isOff = (): boolean => config().switches.has('no-lcr')

export const routingList = defineScreen({
  path: '/internal/least-cost-routing',
  title: 'Outbound call routing',
  minScope: 'admin',
  deniedMessage: 'You do not have permissions to manage all outbound call routes',
  redirectTo: '/internal/least-cost-routing/add',
  search: accountSearch,
  menu: { ...entry, params: () => (isOff() ? undefined : {}) },
  shortcut: 'o',
})

/** Leads those who have one routing at most to theirs, or to where they make it. */
export const ownRouting = defineScreen({
  path: '/internal/least-cost-routing/own',
  title: 'Outbound call routing',
  menu: {
    ...entry,
    params: ({ scope }) => (scope === 'admin' || isOff() ? undefined : {}),
    activeFor: routingList.path,
  },
  shortcut: 'o',
})

export const addRouting = defineScreen({
  path: '/internal/least-cost-routing/add',
  title: 'Add outbound call routes',
  parent: routingList,
  requiresWrite: true,
})

export const editRouting = defineScreen({
  path: '/internal/least-cost-routing/$lcr_sid/edit',
  title: 'Edit outbound call routes',
  search: tabSearch,
  parent: routingList,
})

export const routingScreens = [routingList, ownRouting, addRouting, editRouting]

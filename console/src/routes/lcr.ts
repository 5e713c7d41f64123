import { Split } from 'lucide-react'
import { config } from '../api/configuration.ts'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

const entry = { group: 'BYO Services', icon: Split, label: 'Outbound Call Routing' } as const

/** The switch removes the menu entry (COMMON-12). The screens can still be opened by their URL. */
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

/** Redirects users who can have a single routing to that routing, or to the form that creates it. */
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

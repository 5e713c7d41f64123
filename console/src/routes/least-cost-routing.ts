import { Split } from 'lucide-react'
import { config } from '../api/configuration.ts'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

const entry = { group: 'byo', icon: Split, label: 'Outbound Call Routing' } as const

/** The menu has it unless it is switched off; the screens open by their address all the same. */
const isOff = (): boolean => config().switches.has('no-lcr')

export const routingList = defineScreen({
  path: '/internal/least-cost-routing',
  title: 'Outbound call routing',
  load: () => import('../screens/least-cost-routing/list.tsx'),
  minScope: 'admin',
  refusal: 'You do not have permissions to manage all outbound call routes',
  refusedTo: '/internal/least-cost-routing/add',
  search: accountSearch,
  menu: { ...entry, params: () => (isOff() ? undefined : {}) },
  key: 'o',
  records: () => import('../screens/least-cost-routing/records.ts'),
  pieces: [searchSelect],
})

/** Leads those who have one routing at most to theirs, or to where they make it. */
export const ownRouting = defineScreen({
  path: '/internal/least-cost-routing/own',
  title: 'Outbound call routing',
  load: () => import('../screens/least-cost-routing/redirect-to-own.tsx'),
  menu: {
    ...entry,
    params: ({ scope }) => (scope === 'admin' || isOff() ? undefined : {}),
    covers: routingList.path,
  },
  key: 'o',
})

export const addRouting = defineScreen({
  path: '/internal/least-cost-routing/add',
  title: 'Add outbound call routes',
  load: () => import('../screens/least-cost-routing/add.tsx'),
  under: routingList,
  changes: true,
})

export const editRouting = defineScreen({
  path: '/internal/least-cost-routing/$lcr_sid/edit',
  title: 'Edit outbound call routes',
  load: () => import('../screens/least-cost-routing/edit.tsx'),
  search: tabSearch,
  under: routingList,
})

export const routingScreens = [routingList, ownRouting, addRouting, editRouting]

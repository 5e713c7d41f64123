import { carrierAttention } from '@patchbay/contract/shared/attention-kinds'
import { Network } from 'lucide-react'
import { type AttentionSearch, attentionSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, parseChoice, textIn } from './list-search-params.ts'
import { tabSearch } from './tab-search-params.ts'

export interface CarrierSearch extends AttentionSearch<(typeof carrierAttention)[number]> {
  /** Leaves out the carriers that the account of the filter shares with all others. */
  owned?: 'true'
}

const toAttention = attentionSearch(carrierAttention)
const carrierSearch = (params: Given): CarrierSearch =>
  omitUndefined({ ...toAttention(params), owned: parseChoice(['true'] as const, params['owned']) })

export const carrierList = defineScreen({
  path: '/internal/carriers',
  title: 'Carriers',
  search: carrierSearch,
  defaultSearch: rememberedAccount,
  menu: { group: 'BYO Services', icon: Network },
  shortcut: 't',
})

export const addCarrier = defineScreen({
  path: '/internal/carriers/add',
  title: 'Add a carrier',
  parent: carrierList,
  requiresWrite: true,
})

/** The state of the guided setup. */
export interface ConnectSearch {
  /** The kind of trunk that is being set up. */
  type?: string | undefined
  /** SID of the carrier that the setup created. */
  carrier?: string | undefined
}

export const connectCarrier = defineScreen({
  path: '/internal/carriers/add/guided',
  title: 'Connect a carrier',
  parent: carrierList,
  requiresWrite: true,
  search: (params): ConnectSearch =>
    omitUndefined({ type: textIn(params, 'type'), carrier: textIn(params, 'carrier') }),
})

export const editCarrier = defineScreen({
  path: '/internal/carriers/$voip_carrier_sid/edit',
  title: 'Edit carrier',
  search: tabSearch,
  parent: carrierList,
})

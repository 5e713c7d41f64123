import type { Owner } from '@patchbay/contract/access'
import { createWholeLcr } from '../resources/lcrs/store.ts'
import type { DemoCarriers } from './carriers.ts'
import type { DemoContext } from './demo-context.ts'

/** A pattern, what it is for, and the carrier that takes what it matches. */
type DemoRoute = readonly [regex: string, description: string, carrier: string]

interface DemoRouting {
  name: string
  /** its position; else of the provider */
  account?: number
  routes: readonly DemoRoute[]
  otherwise: string
}

/** One is shadowed by another that stands before it, and one is no pattern at all: what checks are there to find. */
const routings: readonly DemoRouting[] = [
  {
    name: 'Outbound, all accounts',
    routes: [
      ['^1(800|888|877)', 'Toll-free', 'Atlantic SIP'],
      ['^1', 'North America', 'Cobalt Carrier'],
      ['^1508', 'Massachusetts', 'Bluewave'],
      ['44', 'United Kingdom', 'Bluewave'],
    ],
    otherwise: 'Atlantic SIP',
  },
  {
    name: 'Own trunks first',
    account: 0,
    routes: [
      ['^1508', 'Local calls', 'Delta Trunking'],
      ['^(44', 'United Kingdom, left unfinished', 'Eastline'],
      ['^49', 'Germany', 'Atlantic SIP'],
    ],
    otherwise: 'Cobalt Carrier',
  },
  { name: 'Everything one way', account: 1, routes: [], otherwise: 'Atlantic SIP' },
]

export const fillRouting = async (
  { services: { write } }: DemoContext,
  service_provider_sid: string,
  accounts: readonly string[],
  carriers: DemoCarriers,
): Promise<void> => {
  for (const { name, account, routes, otherwise } of routings) {
    const account_sid = account === undefined ? null : accounts[account]
    const default_voip_carrier_sid = carriers.get(otherwise)
    if (account_sid === undefined || default_voip_carrier_sid === undefined) continue
    const owner: Owner =
      account_sid === null ? { account_sid, service_provider_sid } : { account_sid, service_provider_sid: null }
    const sent = routes.map(([regex, description, carrier]) => ({
      regex,
      description,
      lcr_carrier_set_entries: [{ voip_carrier_sid: carriers.get(carrier) ?? default_voip_carrier_sid }],
    }))
    await write('patchbay', (tx) => createWholeLcr(tx, { name, routes: sent, default_voip_carrier_sid }, owner))
  }
}

import type { Owner } from '@patchbay/contract/api/access'
import { createWholeLcr } from '../resources/lcrs/store.ts'
import type { DemoCarriers } from './carriers.ts'
import type { DemoContext } from './demo-context.ts'

/** A pattern, its description, and the carrier for matching calls. */
type DemoRoute = readonly [regex: string, description: string, carrier: string]

interface DemoRouting {
  name: string
  /** Position of the account. Absent for the provider's routing. */
  account?: number
  routes: readonly DemoRoute[]
  defaultCarrier: string
}

/**
 * Contains one route that an earlier one shadows and one with an invalid pattern, as examples for the console's checks.
 */
const routings: readonly DemoRouting[] = [
  {
    name: 'Outbound, all accounts',
    routes: [
      ['^1(800|888|877)', 'Toll-free', 'Atlantic SIP'],
      ['^1', 'North America', 'Cobalt Carrier'],
      ['^1508', 'Massachusetts', 'Bluewave'],
      ['44', 'United Kingdom', 'Bluewave'],
    ],
    defaultCarrier: 'Atlantic SIP',
  },
  {
    name: 'Own trunks first',
    account: 0,
    routes: [
      ['^1508', 'Local calls', 'Delta Trunking'],
      ['^(44', 'United Kingdom, left unfinished', 'Eastline'],
      ['^49', 'Germany', 'Atlantic SIP'],
    ],
    defaultCarrier: 'Cobalt Carrier',
  },
  { name: 'Everything one way', account: 1, routes: [], defaultCarrier: 'Atlantic SIP' },
]

export const fillRouting = async (
  { services: { write } }: DemoContext,
  service_provider_sid: string,
  accounts: readonly string[],
  carriers: DemoCarriers,
): Promise<void> => {
  for (const { name, account, routes, defaultCarrier } of routings) {
    const account_sid = account === undefined ? null : accounts[account]
    const default_voip_carrier_sid = carriers.get(defaultCarrier)
    if (account_sid === undefined || default_voip_carrier_sid === undefined) continue
    const owner: Owner =
      account_sid === null ? { account_sid, service_provider_sid } : { account_sid, service_provider_sid: null }
    const newRoutes = routes.map(([regex, description, carrier]) => ({
      regex,
      description,
      lcr_carrier_set_entries: [{ voip_carrier_sid: carriers.get(carrier) ?? default_voip_carrier_sid }],
    }))
    await write('patchbay', (tx) => createWholeLcr(tx, { name, routes: newRoutes, default_voip_carrier_sid }, owner))
  }
}

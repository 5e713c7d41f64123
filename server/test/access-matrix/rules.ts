import { contract } from '@patchbay/contract/contract'
import { splitKey } from '@patchbay/contract/endpoint'
import type { EndpointName, Rule } from './rule.ts'
import { alertRules } from './rules/alerts.ts'
import { applicationRules } from './rules/applications.ts'
import { callDataRules } from './rules/call-data.ts'
import { carrierRules } from './rules/carriers.ts'
import { identityRules } from './rules/identity.ts'
import { liveCallRules } from './rules/live-calls.ts'
import { numberAndDeviceRules } from './rules/numbers-and-devices.ts'
import { routingRules } from './rules/routing.ts'
import { speechRules } from './rules/speech.ts'
import { tenantRules } from './rules/tenants.ts'

/**
 * The permissions of every kind of caller for every endpoint. The tables are written by hand and not derived from the
 * product. The requested resources belong to account A of provider P. The compiler rejects an endpoint without a rule.
 */
export const rules: Readonly<Record<EndpointName, Rule>> = {
  ...identityRules,
  ...tenantRules,
  ...applicationRules,
  ...speechRules,
  ...numberAndDeviceRules,
  ...carrierRules,
  ...routingRules,
  ...alertRules,
  ...callDataRules,
  ...liveCallRules,
}

// The keys of the contract object.
export const endpointNames = Object.keys(contract) as EndpointName[]

/** The endpoints that require a signed-in caller. */
export const closedEndpoints = endpointNames.filter((key) => rules[key].may !== 'public')

/** Returns the endpoints with a path parameter. */
export const endpointsBySid = (param: string) =>
  endpointNames.filter((key) => splitKey(key).path.includes(`/:${param}`))

import { readdirSync } from 'node:fs'
import { splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import type { EndpointName, Rule } from './rule.ts'

// The keys of the contract object.
export const endpointNames = Object.keys(contract) as EndpointName[]

const folder = new URL('./rules/', import.meta.url)
const modules: { rules: Partial<Record<EndpointName, Rule>> }[] = await Promise.all(
  readdirSync(folder).map((file) => import(new URL(file, folder).href)),
)
const allRules = modules.flatMap((module) => Object.entries(module.rules))

/**
 * The permissions of every kind of caller for every endpoint, from all files in `rules/`. The rules are written by hand
 * and not derived from the product. The requested resources belong to account A of provider P.
 */
export const rules = Object.fromEntries(allRules) as Readonly<Record<EndpointName, Rule>>

const withoutRule = endpointNames.filter((key) => !(key in rules))
if (withoutRule.length > 0) throw new Error(`no rule of the access matrix for ${withoutRule.join(', ')}`)
if (allRules.length > endpointNames.length) throw new Error('an endpoint has two rules of the access matrix')

/** The endpoints that require a signed-in caller. */
export const closedEndpoints = endpointNames.filter((key) => rules[key].may !== 'public')

/** Returns the endpoints with a path parameter. */
export const endpointsBySid = (param: string) =>
  endpointNames.filter((key) => splitKey(key).path.includes(`/:${param}`))

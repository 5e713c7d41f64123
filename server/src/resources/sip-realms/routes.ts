import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { sipRealmEndpoints } from '@patchbay/contract/sip-realms'
import { isSipRealm } from '@patchbay/contract/sip-realms/realm'
import { extractSubdomain, validateSubdomain } from '@patchbay/rules/identity/subdomains'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { isRealmFree } from '../shared/realm-records.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createRealmChange } from './change-realm.ts'
import { isReservedSubdomain } from './reserved-subdomains.ts'
import { isContactFree, isRealmFreeToCaller, readRootDomain } from './store.ts'

/** Maximum availability checks per minute of a user or API key. The console checks while the user types. */
export const maxAvailabilityChecksPerMinute = 120

/**
 * Maximum realm changes per minute of an account, and of all accounts of a provider. Each can cause requests to the DNS
 * provider.
 */
export const maxRealmChangesPerMinute = { account: 10, provider: 100 }

/** Returns whether a realm is a subdomain of a domain. The API requires at least three labels. */
const isFullRealm = (realm: string): boolean => isSipRealm(realm) && realm.split('.').length >= 3

/** Returns whether a realm is neither the root domain nor below it. */
const isOutside = (realm: string, root: string | null): boolean =>
  root !== null && realm !== root && extractSubdomain(realm, root) === undefined

export const sipRealmRoutes = (services: Services): Handlers<keyof typeof sipRealmEndpoints> => {
  const { configuration, database, owners, rates } = services
  const changeRealm = createRealmChange(services)

  /**
   * Returns the reason why an account may not choose a realm. If its provider has a root domain, the realm must be one
   * label below it.
   */
  const validateChoice = (realm: string, root: string | null): string | undefined => {
    if (root === null) return undefined
    const name = extractSubdomain(realm, root)
    if (name === undefined) return `must be below ${root}`
    return isReservedSubdomain(name, configuration.reservedSubdomains) ? 'is reserved' : validateSubdomain(name)
  }

  const countCheck = async ({ token, user_sid, account_sid, service_provider_sid }: Actor): Promise<void> => {
    const who = user_sid ?? `${token}:${account_sid ?? service_provider_sid ?? 'admin'}`
    const { count } = await rates.hit(`availability:${who}`, 60_000)
    if (count > maxAvailabilityChecksPerMinute) throwApiError('too_many_requests')
  }

  const isAvailable = async (actor: Actor, sip_realm: string): Promise<boolean> => {
    if (!isFullRealm(sip_realm)) return false
    const root = actor.scope === 'account' ? await readRootDomain(database, actor.account_sid) : null
    // The check must not tell an account which domains customers of other providers use.
    if (isOutside(sip_realm, root)) return isRealmFreeToCaller(database, actor, sip_realm)
    return validateChoice(sip_realm, root) === undefined && isRealmFree(database, sip_realm)
  }

  return {
    'GET /Availability': async ({ actor, query: { type, value } }) => {
      if (type !== 'subdomain' && type !== 'email' && type !== 'phone')
        return throwInvalid(`invalid type: ${type ?? ''}`, 'type')
      if (!value) return throwInvalid('missing field value', 'value')
      await countCheck(actor)
      const available =
        type === 'subdomain'
          ? await isAvailable(actor, value.trim().toLowerCase())
          : await isContactFree(database, actor, type, value)
      return ok({ available })
    },

    'POST /Accounts/:account_sid/SipRealms/:sip_realm': async ({ actor, params }) => {
      const { account_sid } = params
      const sip_realm = params.sip_realm.trim().toLowerCase()
      if (!isFullRealm(sip_realm)) return throwInvalid(`invalid sip_realm: ${params.sip_realm}`, 'sip_realm')
      const root = await readRootDomain(database, account_sid)
      const fault = actor.scope === 'account' ? validateChoice(sip_realm, root) : undefined
      if (fault !== undefined) return throwInvalid(`invalid sip_realm: ${params.sip_realm} ${fault}`, 'sip_realm')
      await countForTenant(
        rates,
        'sip-realms',
        maxRealmChangesPerMinute,
        (await owners.account(account_sid)) ?? throwApiError('not_found'),
      )
      const isBelowRoot = root !== null && extractSubdomain(sip_realm, root) !== undefined
      await changeRealm(actor, { account_sid, sip_realm }, isBelowRoot)
    },
  }
}

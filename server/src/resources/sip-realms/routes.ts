import type { Actor } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { sipRealmEndpoints } from '@patchbay/contract/sip-realms'
import { isSipRealm } from '@patchbay/contract/sip/realms'
import { validateSubdomain, extractSubdomain } from '@patchbay/contract/identity/subdomains'
import { noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { isRealmFree } from '../shared/realm-records.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createRealmChange } from './change-realm.ts'
import { isReservedSubdomain } from './reserved-subdomains.ts'
import { isContactFree, readRootDomain } from './store.ts'

/** Of one user or key, who types. */
export const availabilitiesAMinute = 120

/** Each may ask the provider of DNS: of one account, and of all accounts of a provider. */
export const realmChangesAMinute = { account: 10, provider: 100 }

/** A subdomain of a domain; on the wire at least three labels. */
const isWholeRealm = (realm: string): boolean => isSipRealm(realm) && realm.split('.').length >= 3

export const sipRealmRoutes = (services: Services): Handlers<keyof typeof sipRealmEndpoints> => {
  const { configuration, database, owners, rates } = services
  const changeRealm = createRealmChange(services)

  /** Returns why an account may not choose a realm: it chooses one label below its provider's root domain, if there is one. */
  const choiceFault = (realm: string, root: string | null): string | undefined => {
    if (root === null) return undefined
    const name = extractSubdomain(realm, root)
    if (name === undefined) return `must be below ${root}`
    return isReservedSubdomain(name, configuration.reservedSubdomains) ? 'is reserved' : validateSubdomain(name)
  }

  const countLookUp = async ({ token, user_sid, account_sid, service_provider_sid }: Actor): Promise<void> => {
    const who = user_sid ?? `${token}:${account_sid ?? service_provider_sid ?? 'admin'}`
    const { count } = await rates.hit(`availability:${who}`, 60_000)
    if (count > availabilitiesAMinute) throwApiError('too_many_requests')
  }

  const isAvailable = async (actor: Actor, sip_realm: string): Promise<boolean> => {
    if (!isWholeRealm(sip_realm)) return false
    const root = actor.scope === 'account' ? await readRootDomain(database, actor.account_sid) : null
    return choiceFault(sip_realm, root) === undefined && isRealmFree(database, sip_realm)
  }

  return {
    'GET /Availability': async ({ actor, query: { type, value } }) => {
      if (type !== 'subdomain' && type !== 'email' && type !== 'phone')
        return throwInvalid(`invalid type: ${type ?? ''}`, 'type')
      if (!value) return throwInvalid('missing field value', 'value')
      await countLookUp(actor)
      const available =
        type === 'subdomain'
          ? await isAvailable(actor, value.trim().toLowerCase())
          : await isContactFree(database, actor, type, value)
      return ok({ available })
    },

    'POST /Accounts/:account_sid/SipRealms/:sip_realm': async ({ actor, params }) => {
      const { account_sid } = params
      const sip_realm = params.sip_realm.trim().toLowerCase()
      if (!isWholeRealm(sip_realm)) return throwInvalid(`invalid sip_realm: ${params.sip_realm}`, 'sip_realm')
      const root = await readRootDomain(database, account_sid)
      const fault = actor.scope === 'account' ? choiceFault(sip_realm, root) : undefined
      if (fault !== undefined) return throwInvalid(`invalid sip_realm: ${params.sip_realm} ${fault}`, 'sip_realm')
      await countForTenant(
        rates,
        'sip-realms',
        realmChangesAMinute,
        (await owners.account(account_sid)) ?? throwApiError('not_found'),
      )
      const isBelowRoot = root !== null && extractSubdomain(sip_realm, root) !== undefined
      await changeRealm(actor, { account_sid, sip_realm }, isBelowRoot)
      return noContent
    },
  }
}

import { type Actor, type Owner, noOwner } from '@patchbay/contract/access'
import type { apiKeyEndpoints } from '@patchbay/contract/api-keys'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { Caller } from '../../lib/caller.ts'
import { created, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { type ScopedOwner, toScopedOwner } from '../../auth/principals.ts'
import { createApiKey, deleteApiKey, listApiKeys, readApiKey } from './store.ts'

export const apiKeyRoutes = ({ database, write, owners }: Services): Handlers<keyof typeof apiKeyEndpoints> => {
  const resolveOwnerForProvider = (
    actor: Actor,
    { account_sid, service_provider_sid }: Owner,
  ): Promise<Owner> | Owner => {
    if (account_sid !== null) return resolveAccountOfProvider(actor, account_sid)
    if (service_provider_sid === null) return throwApiError('key_provider_makes_admin')
    if (service_provider_sid !== actor.service_provider_sid) return throwApiError('key_other_provider')
    return { account_sid: null, service_provider_sid }
  }

  const resolveAccountOfProvider = async (actor: Actor, account_sid: string): Promise<Owner> => {
    const owner = await owners.account(account_sid)
    if (owner?.service_provider_sid !== actor.service_provider_sid) return throwApiError('key_other_provider')
    return { account_sid, service_provider_sid: null }
  }

  /**
   * Resolves the owner for an admin. With an account, the key belongs to the account, even if the request also names
   * its provider.
   */
  const resolveOwnerForAdmin = async ({ account_sid, service_provider_sid }: Owner): Promise<Owner> => {
    const account = account_sid === null ? undefined : await owners.account(account_sid)
    if (account_sid !== null && account === undefined) throwInvalid('account_sid does not exist', 'account_sid')
    if (service_provider_sid !== null && (await owners.service_provider(service_provider_sid)) === undefined)
      throwInvalid('service_provider_sid does not exist', 'service_provider_sid')
    if (account === undefined) return { account_sid: null, service_provider_sid }
    if (service_provider_sid !== null && service_provider_sid !== account.service_provider_sid)
      throwInvalid('account_sid is not an account of this service provider', 'account_sid')
    return { account_sid, service_provider_sid: null }
  }

  /**
   * Returns the owner of a new key if the caller may create it
   * (docs/reference/platform-api/tenants.md#errors-of-api-keys). Client tests require that these errors are 400, not
   * 403.
   */
  const resolveOwnerOfNewKey = (actor: Actor, requested: Owner): Promise<Owner> | Owner => {
    if (actor.scope === 'admin') return resolveOwnerForAdmin(requested)
    if (actor.scope === 'service_provider') return resolveOwnerForProvider(actor, requested)
    if (requested.account_sid === null || requested.account_sid !== actor.account_sid)
      return throwApiError('key_other_account')
    return { account_sid: requested.account_sid, service_provider_sid: null }
  }

  const create = async (actor: Caller, owner: Owner, requestedEnd: string | null | undefined) => {
    const expires_at = getExpiry(actor, requestedEnd ? new Date(requestedEnd) : null)
    return created(await write(actor, (tx) => createApiKey(tx, database.engine, { ...owner, expires_at })))
  }

  /** Deletes a key of an owner. A key of another owner results in a 404. */
  const removeKeyOfOwner = async (actor: Caller, owner: Owner, api_key_sid: string) => {
    const key = (await readApiKey(database, api_key_sid)) ?? throwApiError('not_found')
    const isOwnKey =
      key.account_sid === owner.account_sid &&
      (key.account_sid !== null || key.service_provider_sid === owner.service_provider_sid)
    if (!isOwnKey) throwApiError('not_found')
    await write(actor, (tx) => deleteApiKey(tx, key))
  }

  return {
    'POST /ApiKeys': async ({ actor, body }) => {
      const requested = {
        account_sid: body.account_sid ?? null,
        service_provider_sid: body.service_provider_sid ?? null,
      }
      return create(actor, await resolveOwnerOfNewKey(actor, requested), body.expires_at)
    },

    'DELETE /ApiKeys/:api_key_sid': async ({ actor, params }) => {
      const key = (await readApiKey(database, params.api_key_sid)) ?? throwApiError('not_found')
      checkDeletable(actor, toScopedOwner(key))
      await write(actor, (tx) => deleteApiKey(tx, key))
    },

    'GET /Accounts/:account_sid/ApiKeys': async ({ params: { account_sid } }) =>
      ok(await listApiKeys(database, { account_sid })),

    'GET /ServiceProviders/:service_provider_sid/ApiKeys': async ({ actor, params: { service_provider_sid } }) => {
      const accountFilter = actor.scope === 'account' ? { account_sid: actor.account_sid ?? '' } : {}
      return ok(await listApiKeys(database, { service_provider_sid, ...accountFilter }))
    },

    'POST /Accounts/:account_sid/ApiKeys': ({ actor, params: { account_sid }, body }) =>
      create(actor, { account_sid, service_provider_sid: null }, body.expires_at),

    'DELETE /Accounts/:account_sid/ApiKeys/:api_key_sid': ({ actor, params: { account_sid, api_key_sid } }) =>
      removeKeyOfOwner(actor, { account_sid, service_provider_sid: null }, api_key_sid),

    'POST /ServiceProviders/:service_provider_sid/ApiKeys': ({ actor, params: { service_provider_sid }, body }) =>
      create(actor, { account_sid: null, service_provider_sid }, body.expires_at),

    'DELETE /ServiceProviders/:service_provider_sid/ApiKeys/:api_key_sid': ({ actor, params }) =>
      removeKeyOfOwner(
        actor,
        { account_sid: null, service_provider_sid: params.service_provider_sid },
        params.api_key_sid,
      ),

    'GET /patchbay/platform-api-keys': async () => ok(await listApiKeys(database, noOwner)),
  }
}

/**
 * Returns when a new key expires. A key that is created with another key expires no later than that key. Otherwise, a
 * temporary key could create permanent ones.
 */
const getExpiry = ({ key_expires_at }: Actor, requested: Date | null): Date | null => {
  if (key_expires_at === undefined) return requested
  const latest = new Date(key_expires_at)
  if (requested !== null && requested > latest) throwApiError('key_outlives_its_maker')
  return requested ?? latest
}

const checkDeletable = (actor: Actor, { scope, account_sid, service_provider_sid }: ScopedOwner): void => {
  if (actor.scope === 'account' && account_sid !== actor.account_sid) throwApiError('key_foreign_account')
  if (actor.scope !== 'service_provider') return
  if (scope === 'admin') throwApiError('key_admin_not_deletable')
  if (service_provider_sid !== actor.service_provider_sid) throwApiError('key_foreign_provider')
}

import { type Actor, noOwner, type Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { apiKeyEndpoints } from '@patchbay/contract/api-keys'
import { type ScopedOwner, toScopedOwner } from '../../auth/principals.ts'
import { type OwnerErrors, resolveOwner } from '../../auth/resolve-owner.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createApiKey, deleteApiKey, listApiKeys, readApiKey, renameApiKey, searchApiKeys } from './store.ts'

export const apiKeyRoutes = ({ database, write }: Services): Handlers<keyof typeof apiKeyEndpoints> => {
  /**
   * Returns the owner of a new key. A key of an account names only the account, even if the request also names its
   * provider.
   */
  const resolveOwnerOfNewKey = async (actor: Actor, requested: Owner): Promise<Owner> => {
    checkRequestedOwner(actor, requested)
    const isAdmin = actor.scope === 'admin'
    const { account_sid } = requested
    const input = isAdmin ? requested : { account_sid }
    const owner = await resolveOwner(database.db, actor, input, noOwner, isAdmin ? adminErrors : providerErrors)
    return owner.account_sid === null ? owner : { account_sid, service_provider_sid: null }
  }

  const create = async (actor: Caller, owner: Owner, { name = null, expires_at }: KeyInput) => {
    const end = getExpiry(actor, expires_at ? new Date(expires_at) : null)
    return created(await write(actor, (tx) => createApiKey(tx, { ...owner, name, expires_at: end })))
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
      return create(actor, await resolveOwnerOfNewKey(actor, requested), body)
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
      create(actor, { account_sid, service_provider_sid: null }, body),

    'DELETE /Accounts/:account_sid/ApiKeys/:api_key_sid': ({ actor, params: { account_sid, api_key_sid } }) =>
      removeKeyOfOwner(actor, { account_sid, service_provider_sid: null }, api_key_sid),

    'POST /ServiceProviders/:service_provider_sid/ApiKeys': ({ actor, params: { service_provider_sid }, body }) =>
      create(actor, { account_sid: null, service_provider_sid }, body),

    'DELETE /ServiceProviders/:service_provider_sid/ApiKeys/:api_key_sid': ({ actor, params }) =>
      removeKeyOfOwner(
        actor,
        { account_sid: null, service_provider_sid: params.service_provider_sid },
        params.api_key_sid,
      ),

    'GET /patchbay/service-providers/:service_provider_sid/api-keys': async ({ actor, params, query }) => {
      const { page, count, filter, attention } = query
      const account_sid = actor.scope === 'account' ? (actor.account_sid ?? '') : undefined
      const search = { ...params, account_sid, filter, attention, page: Number(page), count: Number(count) }
      const { total, data } = await searchApiKeys(database, search)
      return ok({ total, page, page_size: count, data })
    },

    'PUT /patchbay/api-keys/:api_key_sid': ({ actor, params, body }) =>
      write(actor, (tx) => renameApiKey(tx, actor, params.api_key_sid, body.name)),

    'GET /patchbay/platform-api-keys': async () => ok(await listApiKeys(database, noOwner)),
  }
}

interface KeyInput {
  name?: string | null | undefined
  expires_at?: string | null | undefined
}

const providerErrors: Partial<OwnerErrors> = { unknownAccount: () => throwApiError('key_other_provider') }

const adminErrors: OwnerErrors = {
  unknownAccount: () => throwInvalid('account_sid does not exist', 'account_sid'),
  unknownProvider: () => throwInvalid('service_provider_sid does not exist', 'service_provider_sid'),
  wrongProvider: () => throwInvalid('account_sid is not an account of this service provider', 'account_sid'),
}

/**
 * Rejects a key for an owner outside the caller's scope, which the caller has to name
 * (docs/reference/platform-api/tenants.md#errors-of-api-keys). Clients rely on status 400 for these errors.
 */
const checkRequestedOwner = (actor: Actor, { account_sid, service_provider_sid }: Owner): void => {
  if (actor.scope === 'account' && (account_sid === null || account_sid !== actor.account_sid))
    throwApiError('key_other_account')
  if (actor.scope !== 'service_provider' || account_sid !== null) return
  if (service_provider_sid === null) throwApiError('key_admin_scope_forbidden')
  if (service_provider_sid !== actor.service_provider_sid) throwApiError('key_other_provider')
}

/**
 * Returns when a new key expires. A key that is created with another key expires no later than that key. Otherwise, a
 * temporary key could create permanent ones.
 */
const getExpiry = ({ key_expires_at }: Actor, requested: Date | null): Date | null => {
  if (key_expires_at === undefined) return requested
  const latest = new Date(key_expires_at)
  if (requested !== null && requested > latest) throwApiError('key_expiry_exceeds_creator')
  return requested ?? latest
}

const checkDeletable = (actor: Actor, { scope, account_sid, service_provider_sid }: ScopedOwner): void => {
  if (actor.scope === 'account' && account_sid !== actor.account_sid) throwApiError('key_foreign_account')
  if (actor.scope !== 'service_provider') return
  if (scope === 'admin') throwApiError('key_admin_not_deletable')
  if (service_provider_sid !== actor.service_provider_sid) throwApiError('key_foreign_provider')
}

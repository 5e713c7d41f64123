import { type Action, type Actor, can, isAtLeast, type Owner } from '@patchbay/contract/api/access'
import type { Endpoint } from '@patchbay/contract/api/endpoint'
import { type ApiErrorCode, throwApiError } from '@patchbay/contract/api/errors'
import type { OwnedKind } from '@patchbay/contract/contract'
import { isSid } from '@patchbay/contract/shared/sids'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../lib/caller.ts'

/** Checks the access rules of the contract before a handler runs. */

export type OwnerLookups = Readonly<Record<OwnedKind, (sid: string) => Promise<Owner | undefined>>>

/** Returns whether a request reads or writes. */
export const getAction = (endpoint: Endpoint, request: FastifyRequest): Action => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return 'write'
  const { writesWhen } = endpoint
  return writesWhen !== undefined && Object.hasOwn(Object(request.query), writesWhen) ? 'write' : 'read'
}

const checkSids = (endpoint: Endpoint, params: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(params))
    if (name.endsWith('_sid') && !isSid(value)) throwApiError(endpoint.lenientSids ? 'not_found' : 'bad_request')
}

/** Returns whether the record is shared with all accounts of the actor's service provider. */
const isMember = (actor: Actor, owner: Owner): boolean =>
  owner.account_sid === null && owner.service_provider_sid === actor.service_provider_sid

/** Returns the error code for a denied request. Endpoint-specific codes do not apply to admins. */
const getDenialCode = ({ access }: Endpoint, { scope }: Actor, defaultCode: ApiErrorCode): ApiErrorCode => {
  const { errorCode = defaultCode } = access
  if (typeof errorCode === 'string') return errorCode
  return scope === 'admin' ? defaultCode : errorCode[scope]
}

/**
 * Returns the owner of a record. The actor's own account and service provider need no query, because the actor has been
 * created from rows that exist.
 */
const findOwner = (actor: Actor, kind: OwnedKind, sid: string, owners: OwnerLookups): Promise<Owner | undefined> => {
  const { scope, account_sid, service_provider_sid } = actor
  if (kind === 'account' && scope === 'account' && account_sid === sid)
    return Promise.resolve({ account_sid, service_provider_sid })
  if (kind === 'service_provider' && scope === 'service_provider' && service_provider_sid === sid)
    return Promise.resolve({ account_sid: null, service_provider_sid })
  return owners[kind](sid)
}

/** Returns whether the actor has access to the account and the service provider in the path. */
const isOwnPath = async (
  actor: Actor,
  params: Readonly<Record<string, string>>,
  owners: OwnerLookups,
): Promise<boolean> => {
  for (const kind of ['account', 'service_provider'] as const) {
    const sid = params[`${kind}_sid`]
    const owner = sid === undefined ? undefined : await findOwner(actor, kind, sid, owners)
    if (sid !== undefined && !(owner && (can(actor, 'read', owner) || isMember(actor, owner)))) return false
  }
  return true
}

const checkOwner = async (
  endpoint: Endpoint,
  actor: Actor,
  action: Action,
  params: Readonly<Record<string, string>>,
  owners: OwnerLookups,
): Promise<void> => {
  const rule = endpoint.access.owner
  if (typeof rule === 'string') return
  const errorCode = getDenialCode(endpoint, actor, 'insufficient_permissions')
  // The cast is safe: `OwnedKind` contains every kind that the contract names in a rule.
  const owner = await findOwner(actor, rule.of as OwnedKind, params[`${rule.of}_sid`] ?? '', owners)
  const { hiddenAs } = endpoint.access
  const getHiddenCode = async () => (hiddenAs && (await isOwnPath(actor, params, owners)) ? hiddenAs : errorCode)
  // Callers cannot distinguish records they may not read from missing ones. Admins may read all records, so they get
  // 404.
  if (owner === undefined) {
    if (actor.scope !== 'admin') return throwApiError(await getHiddenCode())
    return rule.allowUnknown ? undefined : throwApiError('not_found')
  }
  const asOwner: Actor = { ...actor, is_view_only: false, must_change_password: false }
  const allowed = can(asOwner, action, owner) || (rule.members === action && isMember(actor, owner))
  if (!allowed) throwApiError(isMember(actor, owner) ? errorCode : await getHiddenCode())
}

/** Checks all access rules of the contract. The order determines which error the API returns. */
export const authorize = async (
  endpoint: Endpoint,
  action: Action,
  params: Readonly<Record<string, string>>,
  actor: Caller,
  owners: OwnerLookups,
): Promise<void> => {
  const { access } = endpoint
  if (actor.reset_link !== undefined && !access.allowResetLink) throwApiError('password_change_required')
  if (actor.must_change_password && !access.whilePasswordMustChange) throwApiError('password_change_required')
  if (action === 'write' && actor.is_view_only && !access.allowViewOnly) throwApiError('view_only')
  if (action === 'write' && actor.is_suspended && !access.allowSuspended) throwApiError('account_suspended')
  if (access.usersOnly && actor.token !== 'user') throwApiError(getDenialCode(endpoint, actor, 'forbidden'))
  if (access.minScope !== 'public' && !isAtLeast(actor.scope, access.minScope))
    throwApiError(getDenialCode(endpoint, actor, 'insufficient_permissions'))
  checkSids(endpoint, params)
  await checkOwner(endpoint, actor, action, params, owners)
}

import { type Action, type Actor, can, isAtLeast, type Owner } from '@patchbay/contract/api/access'
import { type Contract, contract, type OwnedKind } from '@patchbay/contract/contract'
import {
  type Access,
  type EndpointResponse,
  type BodyOutput,
  type Bytes,
  type Endpoint,
  type PathParams,
  type QueryOutput,
  type SignedBody,
  splitKey,
} from '@patchbay/contract/api/endpoint'
import { ApiError, throwApiError, type ApiErrorCode } from '@patchbay/contract/api/errors'
import { isSid } from '@patchbay/contract/api/values'
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import type { z } from 'zod'
import type { Caller } from '../lib/caller.ts'
import { type AuditTrail, auditActor } from '../database/audit-trail.ts'
import { withTimeout } from '../lib/timeout.ts'
import { isForwarded } from '../lib/forwarding-headers.ts'
import { toValidationError } from './errors.ts'
import { createSidRemoval, findRecordUpdate } from './record-updates.ts'
import { noContent, maskCredentialsInBody } from './responses.ts'
import { sendBytes } from './send-bytes.ts'
import { abortOnDisconnect } from './client-disconnect.ts'
import { type Authenticate, getLinkToken } from './authentication.ts'

/** Arguments of a handler. Access to everything that the contract names has been checked. */
export interface Context<K extends keyof Contract> {
  actor: Contract[K]['access'] extends { optionalAuth: true }
    ? Caller | undefined
    : Contract[K]['access']['minScope'] extends 'public'
      ? undefined
      : Caller
  /** Session token or API key of the caller, or the token of a link. Empty for other public endpoints. */
  token: string
  params: PathParams<K>
  query: QueryOutput<Contract[K]>
  body: BodyOutput<Contract[K]>
  /** Client address, according to the trusted proxies. */
  address: string
  /** True if a proxy has forwarded the request. */
  isForwarded: boolean
  request_id: string
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

/** A handler may return nothing if its endpoint responds with 204. */
export type Handler<K extends keyof Contract> = (
  context: Context<K>,
) => Promise<EndpointResponse<Contract[K]> | (204 extends keyof Contract[K]['responses'] ? void : never)>

/** Handlers of some endpoints. The type of a resource lists them, so that none can be forgotten. */
export type Handlers<K extends keyof Contract> = { readonly [P in K]: Handler<P> }

export type OwnerLookups = Readonly<Record<OwnedKind, (sid: string) => Promise<Owner | undefined>>>

export interface MountOptions {
  authenticate: Authenticate
  owners: OwnerLookups
  /** Records denied writes. */
  trail: Pick<AuditTrail, 'note'>
  /** Validates responses against the contract (tests and development). */
  checkAnswers: boolean
  timeoutSeconds: number
  /** Limits the memory of bodies that are kept until their signature has been verified. */
  limitSignedBodies: preParsingHookHandler
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw toValidationError(parsed.error)
  return parsed.data
}

/**
 * Removes the token from the body, where authentication.ts accepts it, because it is not part of any endpoint's schema.
 */
const withoutToken = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'access_token')) return body
  const { access_token: _token, ...rest }: { access_token?: unknown } = body
  return rest
}

const unsigned: SignedBody = { payload: '', signature: '' }

const getParams = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  // Fastify documents that route parameters are strings.
  params as Record<string, string>

const getAction = (endpoint: Endpoint, request: FastifyRequest): Action => {
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
const authorize = async (
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

const checkResponse = (key: string, endpoint: Endpoint, status: number, body: unknown): void => {
  const schema = endpoint.responses[status]
  if (schema === undefined) throw new Error(`${key} answered ${status}, which its contract does not name`)
  if (schema === null ? body !== undefined : !schema.safeParse(body).success)
    throw new Error(`${key} answered ${status} with a body its contract does not allow: ${JSON.stringify(body)}`)
}

/** Records a denied write in the audit trail. Other errors are not recorded. */
const auditDenial = (
  key: string,
  request: FastifyRequest,
  caller: Caller,
  error: unknown,
  { trail }: MountOptions,
): void => {
  if (!(error instanceof ApiError) || error.status !== 403) return
  const sid = Object.values(getParams(request)).at(-1)?.slice(0, 64) ?? null
  const event = { action: 'refused', kind: 'request', sid, name: key } as const
  trail.note({ ...event, ...auditActor(caller), reason: error.body.msg })
}

/** Returns the caller. Public endpoints ignore an invalid token, because it may belong to a session that has ended. */
const findCaller = async (request: FastifyRequest, access: Access, { authenticate }: MountOptions) => {
  if (access.minScope !== 'public') return authenticate(request)
  if (!access.optionalAuth) return undefined
  return authenticate(request).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  })
}

type AnyHandler = (context: unknown) => Promise<{ status: number; body: unknown } | undefined>
type AnyHandlers = Readonly<Record<string, AnyHandler>>

/**
 * Returns a function that prepares the body of an update for validation: it removes the members that have the value of
 * the stored record.
 */
const createBodyPreparation = (key: string, endpoint: Endpoint, handlers: AnyHandlers, { owners }: MountOptions) => {
  const update = findRecordUpdate(key, endpoint)
  if (update === undefined) {
    const removeSid = createSidRemoval(key, endpoint)
    return (body: unknown) => Promise.resolve(removeSid(body))
  }
  const { recordKey, needsRecord, removeUnchanged } = update
  const readRecord = async (context: { actor: Caller; params: Readonly<Record<string, string>> }) => {
    try {
      await authorize(contract[recordKey], 'read', context.params, context.actor, owners)
      return Object(((await handlers[recordKey]?.(context)) ?? noContent).body)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }
  return async (body: unknown, context: Parameters<typeof readRecord>[0]) =>
    needsRecord(body) ? removeUnchanged(body, await readRecord(context)) : body
}

const respond = (key: string, endpoint: Endpoint, handlers: AnyHandlers, options: MountOptions) => {
  const { access } = endpoint
  // The type of mountContract's handlers ensures that every endpoint has one.
  const handler = handlers[key] as AnyHandler
  const prepareBody = createBodyPreparation(key, endpoint, handlers, options)
  const work = async (request: FastifyRequest, signal: AbortSignal) => {
    const caller = await findCaller(request, access, options)
    try {
      const params = getParams(request)
      if (caller && access.minScope !== 'public')
        await authorize(endpoint, getAction(endpoint, request), params, caller.actor, options.owners)
      const context = {
        actor: caller?.actor,
        token: access.linkToken ? getLinkToken(request) : (caller?.token ?? ''),
        params,
        query: parse(endpoint.query, request.query),
        address: request.ip,
        isForwarded: isForwarded(request),
        request_id: request.id,
        signal,
      }
      const requestBody = withoutToken(request.body ?? (endpoint.signedBy ? unsigned : {}))
      const body = parse(
        endpoint.body,
        caller ? await prepareBody(requestBody, { ...context, ...caller }) : requestBody,
      )
      const response = (await handler({ ...context, body })) ?? noContent
      if (!caller?.actor.is_view_only || endpoint.bytes) return response
      return { ...response, body: maskCredentialsInBody(response.body) }
    } catch (error) {
      if (caller && getAction(endpoint, request) === 'write') auditDenial(key, request, caller.actor, error, options)
      throw error
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const disconnect = abortOnDisconnect(reply)
    const onTimeout = () => {
      disconnect.abort()
      // A write that is in progress may still be committed.
      return new ApiError(getAction(endpoint, request) === 'write' ? 'outcome_unknown' : 'timed_out')
    }
    const { status, body } = await withTimeout(work(request, disconnect.signal), options.timeoutSeconds, onTimeout)
    if (options.checkAnswers) checkResponse(key, endpoint, status, body)
    void reply.code(status)
    return endpoint.bytes ? sendBytes(request, reply, body as Bytes, disconnect.signal) : reply.send(body)
  }
}

/** Mounts every endpoint of the contract. The type of `handlers` ensures that each has a handler. */
export const mountContract = (
  app: FastifyInstance,
  handlers: Handlers<keyof Contract>,
  options: MountOptions,
): void => {
  // Each handler's own type ties its context and response to its key.
  const anyHandlers = handlers as unknown as AnyHandlers
  for (const [key, endpoint] of Object.entries<Endpoint>(contract)) {
    const { method, path } = splitKey(key)
    const { bodyLimit, upload, signedBy, bytes } = endpoint
    const config = { ...(upload ? { upload } : {}), ...(signedBy ? { signedBy } : {}) }
    app.route({
      method,
      url: path,
      handler: respond(key, endpoint, anyHandlers, options),
      ...(bodyLimit ? { bodyLimit } : {}),
      config,
      ...(signedBy ? { preParsing: options.limitSignedBodies } : {}),
      // Compression would remove the Content-Length header.
      ...(bytes ? { compress: false } : {}),
    })
  }
}

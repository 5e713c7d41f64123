import { type Action, type Actor, can, isAtLeast, type Owner } from '@patchbay/contract/access'
import { type Contract, contract } from '@patchbay/contract/contract'
import {
  type Access,
  type EndpointResponse,
  type BodyOutput,
  type Bytes,
  type Endpoint,
  type OwnedKind,
  type PathParams,
  type QueryOutput,
  type SignedBody,
  splitKey,
} from '@patchbay/contract/endpoint'
import { ApiError, throwApiError, type ApiErrorCode } from '@patchbay/contract/errors'
import { isSid } from '@patchbay/contract/values'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Caller } from '../lib/caller.ts'
import { type AuditTrail, auditActor } from '../database/audit-trail.ts'
import { withTimeout } from '../lib/timeout.ts'
import { validationRefusal } from './errors.ts'
import { sendBytes } from './send-bytes.ts'
import { abortOnDisconnect } from './client-disconnect.ts'
import { maskCredentialsInBody } from './mask-body.ts'
import type { Authenticate } from './authentication.ts'

/** What a handler is given. Access has been decided for everything the contract names. */
export interface Context<K extends keyof Contract> {
  actor: Contract[K]['access'] extends { callerIfKnown: true }
    ? Caller | undefined
    : Contract[K]['access']['minScope'] extends 'public'
      ? undefined
      : Caller
  /** the session token or API key of the caller; empty for public endpoints */
  token: string
  params: PathParams<K>
  query: QueryOutput<Contract[K]>
  body: BodyOutput<Contract[K]>
  /** of the caller, as far as trusted proxies say */
  address: string
  request_id: string
  /** aborted when nobody waits for the answer any more */
  signal: AbortSignal
}

export type Handler<K extends keyof Contract> = (context: Context<K>) => Promise<EndpointResponse<Contract[K]>>

/** Handlers of some endpoints; a resource's type names them, so that none can be forgotten. */
export type Handlers<K extends keyof Contract> = { readonly [P in K]: Handler<P> }

export type OwnerLookups = Readonly<Record<OwnedKind, (sid: string) => Promise<Owner | undefined>>>

export interface MountOptions {
  authenticate: Authenticate
  owners: OwnerLookups
  /** told of writes that are refused */
  trail: Pick<AuditTrail, 'note'>
  /** answers are checked against the contract (tests and development) */
  checkAnswers: boolean
  timeoutSeconds: number
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw validationRefusal(parsed.error)
  return parsed.data
}

/** The token may come in the body (authentication.ts takes it there): it belongs to no endpoint. */
const withoutToken = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'access_token')) return body
  const { access_token: _token, ...rest }: { access_token?: unknown } = body
  return rest
}

const unsigned: SignedBody = { payload: '', signature: '' }

const paramsOf = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  // Route parameters are texts by Fastify's own contract.
  params as Record<string, string>

const actionOf = (endpoint: Endpoint, request: FastifyRequest): Action => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return 'write'
  const { writesWhen } = endpoint
  return writesWhen !== undefined && Object.hasOwn(Object(request.query), writesWhen) ? 'write' : 'read'
}

const checkSids = (endpoint: Endpoint, params: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(params))
    if (name.endsWith('_sid') && !isSid(value)) throwApiError(endpoint.looseSids ? 'not_found' : 'bad_request')
}

const memberMayRead = (actor: Actor, action: Action, owner: Owner): boolean =>
  action === 'read' &&
  !actor.must_change_password &&
  owner.account_sid === null &&
  owner.service_provider_sid === actor.service_provider_sid

/** To admins nothing is refused by words of its own. */
const refusalFor = ({ access }: Endpoint, { scope }: Actor, otherwise: ApiErrorCode): ApiErrorCode => {
  const { refusal = otherwise } = access
  if (typeof refusal === 'string') return refusal
  return scope === 'admin' ? otherwise : refusal[scope]
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
  const refusal = refusalFor(endpoint, actor, 'insufficient_permissions')
  const owner = await owners[rule.of](params[rule.param] ?? '')
  // To a stranger, what exists and what does not look alike; only an admin may see everything, so is told.
  if (owner === undefined) return throwApiError(actor.scope === 'admin' ? 'not_found' : refusal)
  const asOwner: Actor = { ...actor, is_view_only: false, must_change_password: false }
  const allowed = can(asOwner, action, owner) || (rule.members === 'read' && memberMayRead(asOwner, action, owner))
  if (!allowed) throwApiError(refusal)
}

/** Everything the contract says about who may call, in the order in which the wire answers. */
const authorize = async (
  endpoint: Endpoint,
  request: FastifyRequest,
  actor: Caller,
  owners: OwnerLookups,
): Promise<void> => {
  const { access } = endpoint
  const action = actionOf(endpoint, request)
  if (actor.reset_link !== undefined && !access.withResetLink) throwApiError('password_change_required')
  if (actor.must_change_password && !access.whilePasswordMustChange) throwApiError('password_change_required')
  if (action === 'write' && actor.is_view_only && !access.viewOnlyMay) throwApiError('view_only')
  if (action === 'write' && actor.is_suspended && !access.whileSuspended) throwApiError('account_suspended')
  if (access.usersOnly && actor.token !== 'user') throwApiError(refusalFor(endpoint, actor, 'forbidden'))
  if (access.minScope !== 'public' && !isAtLeast(actor.scope, access.minScope))
    throwApiError(refusalFor(endpoint, actor, 'insufficient_permissions'))
  const params = paramsOf(request)
  checkSids(endpoint, params)
  await checkOwner(endpoint, actor, action, params, owners)
}

const checkAnswer = (key: string, endpoint: Endpoint, status: number, body: unknown): void => {
  const schema = endpoint.responses[status]
  if (schema === undefined) throw new Error(`${key} answered ${status}, which its contract does not name`)
  if (schema === null ? body !== undefined : !schema.safeParse(body).success)
    throw new Error(`${key} answered ${status} with a body its contract does not allow: ${JSON.stringify(body)}`)
}

/** Writes that somebody may not make; what is wrong with the request itself concerns nobody else. */
const auditDenial = (
  key: string,
  request: FastifyRequest,
  caller: Caller,
  error: unknown,
  { trail }: MountOptions,
): void => {
  if (!(error instanceof ApiError) || error.status !== 403) return
  const sid = Object.values(paramsOf(request)).at(-1)?.slice(0, 64) ?? null
  const thing = { action: 'refused', kind: 'request', sid, name: key } as const
  trail.note({ ...thing, ...auditActor(caller), reason: error.body.msg })
}

/** Of a public endpoint a token that is not valid says nothing: it may be of a session that has ended. */
const callerOf = async (request: FastifyRequest, access: Access, { authenticate }: MountOptions) => {
  if (access.minScope !== 'public') return authenticate(request)
  if (!access.callerIfKnown) return undefined
  return authenticate(request).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  })
}

type AnyHandler = (context: unknown) => Promise<{ status: number; body: unknown }>

const respond = (key: string, endpoint: Endpoint, handler: AnyHandler, options: MountOptions) => {
  const { access } = endpoint
  const work = async (request: FastifyRequest, signal: AbortSignal) => {
    const caller = await callerOf(request, access, options)
    try {
      if (caller && access.minScope !== 'public') await authorize(endpoint, request, caller.actor, options.owners)
      const answer = await handler({
        actor: caller?.actor,
        token: caller?.token ?? '',
        params: paramsOf(request),
        query: parse(endpoint.query, request.query),
        body: parse(endpoint.body, withoutToken(request.body ?? (endpoint.signedBy ? unsigned : {}))),
        address: request.ip,
        request_id: request.id,
        signal,
      })
      if (!caller?.actor.is_view_only || endpoint.bytes) return answer
      return { ...answer, body: maskCredentialsInBody(answer.body) }
    } catch (error) {
      if (caller && actionOf(endpoint, request) === 'write') auditDenial(key, request, caller.actor, error, options)
      throw error
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const disconnect = abortOnDisconnect(reply)
    const late = () => {
      disconnect.abort()
      // A write that is in progress may still be committed.
      return new ApiError(actionOf(endpoint, request) === 'write' ? 'outcome_unknown' : 'timed_out')
    }
    const { status, body } = await withTimeout(work(request, disconnect.signal), options.timeoutSeconds, late)
    if (options.checkAnswers) checkAnswer(key, endpoint, status, body)
    void reply.code(status)
    return endpoint.bytes ? sendBytes(request, reply, body as Bytes, disconnect.signal) : reply.send(body)
  }
}

/** Mounts every endpoint of the contract; the handlers' type makes sure that each has one. */
export const mountContract = (
  app: FastifyInstance,
  handlers: Handlers<keyof Contract>,
  options: MountOptions,
): void => {
  for (const [key, endpoint] of Object.entries<Endpoint>(contract)) {
    const { method, path } = splitKey(key)
    // The key comes from the contract itself; its handler's own type ties context and answer to it.
    const handler = handlers[key as keyof Contract] as AnyHandler
    const { bodyLimit, upload, signedBy, bytes } = endpoint
    const config = { ...(upload ? { upload } : {}), ...(signedBy ? { signedBy } : {}) }
    app.route({
      method,
      url: path,
      handler: respond(key, endpoint, handler, options),
      ...(bodyLimit ? { bodyLimit } : {}),
      config,
      // Their length is told.
      ...(bytes ? { compress: false } : {}),
    })
  }
}

import {
  type Access,
  type BodyOutput,
  type Bytes,
  type Endpoint,
  type EndpointResponse,
  type PathParams,
  type QueryOutput,
  type SignedBody,
  splitKey,
} from '@patchbay/contract/api/endpoint'
import { ApiError } from '@patchbay/contract/api/errors'
import { type Contract, contract } from '@patchbay/contract/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import type { z } from 'zod'
import { type AuditTrail, auditActor } from '../database/audit-trail.ts'
import type { RecordVersions } from '../database/record-versions.ts'
import type { Caller } from '../lib/caller.ts'
import { isForwarded } from '../lib/forwarding-headers.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type Authenticate, getLinkToken } from './authentication.ts'
import { authorize, getAction, type OwnerLookups } from './authorize.ts'
import { abortOnDisconnect } from './client-disconnect.ts'
import { toValidationError } from './errors.ts'
import { findStoredRecord, parseCondition, recordVersionHeader } from './record-conditions.ts'
import { createSidRemoval, findRecordUpdate } from './record-updates.ts'
import { maskCredentialsInBody, noContent } from './responses.ts'
import { sendBytes } from './send-bytes.ts'

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

export interface MountOptions {
  authenticate: Authenticate
  owners: OwnerLookups
  versions: RecordVersions
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

type RecordContext = { actor: Caller; params: Readonly<Record<string, string>> }

/**
 * Returns a function that reads the record of an update as the caller sees it. It returns undefined if the caller cannot
 * read it.
 */
const createRecordReader = (recordKey: keyof Contract, handlers: AnyHandlers, { owners }: MountOptions) => {
  const record: Endpoint = contract[recordKey]
  const query = parse(record.query, {})
  return async (context: RecordContext): Promise<Readonly<Record<string, unknown>> | undefined> => {
    try {
      await authorize(record, 'read', context.params, context.actor, owners)
      return Object(((await handlers[recordKey]?.({ ...context, query })) ?? noContent).body)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }
}

/**
 * Returns how the request of an update relates to its record: `prepareBody` removes the members that have the value of
 * the stored record, and `findRecord` reads that record.
 */
const createUpdate = (key: string, endpoint: Endpoint, handlers: AnyHandlers, options: MountOptions) => {
  const update = findRecordUpdate(key, endpoint)
  if (update === undefined) {
    const removeSid = createSidRemoval(key, endpoint)
    return { prepareBody: (body: unknown) => Promise.resolve(removeSid(body)), findRecord: undefined }
  }
  const { recordKey, needsRecord, removeUnchanged } = update
  const findRecord = createRecordReader(recordKey, handlers, options)
  const prepareBody = async (body: unknown, context: RecordContext) =>
    needsRecord(body) ? removeUnchanged(body, await findRecord(context)) : body
  return { prepareBody, findRecord }
}

const respond = (key: string, endpoint: Endpoint, handlers: AnyHandlers, options: MountOptions) => {
  const { access } = endpoint
  // The type of mountContract's handlers ensures that every endpoint has one.
  const handler = handlers[key] as AnyHandler
  const { prepareBody, findRecord } = createUpdate(key, endpoint, handlers, options)
  const record = findStoredRecord(key, endpoint)
  const readVersion = (params: Readonly<Record<string, string>>) =>
    record && options.versions.read(record.stored, params[record.parameter] ?? '')

  /** Adds the current record and its version to the error of a condition that is not met. */
  const withRecord = async (error: unknown, context: RecordContext, reply: FastifyReply): Promise<unknown> => {
    if (!(error instanceof ApiError) || error.code !== 'record_changed') return error
    // The version is read first: the record can be newer, and the next request with this version then fails again.
    void reply.header(recordVersionHeader, await readVersion(context.params))
    return new ApiError('record_changed', { record: await findRecord?.(context) })
  }

  const work = async (request: FastifyRequest, reply: FastifyReply, signal: AbortSignal) => {
    const caller = await findCaller(request, access, options)
    const params = getParams(request)
    const action = getAction(endpoint, request)
    const isWrite = action === 'write'
    try {
      if (caller && access.minScope !== 'public')
        await authorize(endpoint, action, params, caller.actor, options.owners)
      const condition = isWrite ? parseCondition(request.headers['if-match'], record, params) : undefined
      const actor = caller && condition ? { ...caller.actor, condition } : caller?.actor
      // The version is read before the record: with a newer record, the next update only fails once too often.
      const version = isWrite ? undefined : await readVersion(params)
      const context = {
        actor,
        token: access.linkToken ? getLinkToken(request) : (caller?.token ?? ''),
        params,
        query: parse(endpoint.query, request.query),
        address: request.ip,
        isForwarded: isForwarded(request),
        request_id: request.id,
        signal,
      }
      const requestBody = withoutToken(request.body ?? (endpoint.signedBy ? unsigned : {}))
      const body = parse(endpoint.body, actor ? await prepareBody(requestBody, { ...context, actor }) : requestBody)
      const response = (await handler({ ...context, body })) ?? noContent
      const resultingVersion = condition ? (condition.newVersion ?? (await options.versions.check(condition))) : version
      if (resultingVersion !== undefined) void reply.header(recordVersionHeader, resultingVersion)
      if (!caller?.actor.is_view_only || endpoint.bytes) return response
      return { ...response, body: maskCredentialsInBody(response.body) }
    } catch (error) {
      if (caller && isWrite) auditDenial(key, request, caller.actor, error, options)
      throw caller ? await withRecord(error, { actor: caller.actor, params }, reply) : error
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const disconnect = abortOnDisconnect(reply)
    const onTimeout = () => {
      disconnect.abort()
      // A write that is in progress may still be committed.
      return new ApiError(getAction(endpoint, request) === 'write' ? 'outcome_unknown' : 'timed_out')
    }
    const { status, body } = await withTimeout(
      work(request, reply, disconnect.signal),
      options.timeoutSeconds,
      onTimeout,
    )
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

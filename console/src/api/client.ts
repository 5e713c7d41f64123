import type { Contract } from '@patchbay/contract/contract'
import type { BodyInput, PathParams, QueryInput, EndpointResult } from '@patchbay/contract/endpoint'
import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import { currentSession, endSession, flashes } from '../session/session.ts'
import { config } from './configuration.ts'
import { ApiError, refusedBy, somethingWentWrong } from './api-error.ts'

/** The client, made from the contract's types alone: of the contract itself only its rules reach the browser. */

type Part<Name extends string, T> = undefined extends T
  ? T extends undefined
    ? object
    : { [N in Name]?: T }
  : { [N in Name]: T }

type Input<K extends keyof Contract> = (keyof PathParams<K> extends never ? object : { params: PathParams<K> }) &
  Part<'query', QueryInput<Contract[K]>> &
  Part<'body', BodyInput<Contract[K]>>

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** a poll: its failures never end the session */
  background?: true
  /**
   * Set for refreshes that the user did not start. They are retried like any read, but a network failure does not end
   * the session.
   */
  unasked?: boolean
  /** the caller deals with every failure itself: signing in, signing out */
  ownFailures?: true
  /** instead of the session's */
  token?: string
}

const timeLimitMs = 30_000

/** An endpoint's input, whatever the endpoint. */
export interface Plain {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | undefined>>
  body?: unknown
}

/** The address of an endpoint, every parameter encoded. */
export const buildUrl = (base: string, path: string, { params = {}, query = {} }: Plain): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, value)
  const text = search.toString()
  return `${base}${filled}${text && `?${text}`}`
}

/** Files go as a form, everything else as JSON. */
const encoded = (body: unknown): { headers?: Record<string, string>; body?: BodyInit } => {
  if (body === undefined) return {}
  const members = Object.entries(Object(body))
  if (!members.some(([, value]) => value instanceof Blob))
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const form = new FormData()
  for (const [name, value] of members) form.set(name, value as Blob)
  return { body: form }
}

const send = (
  method: string,
  address: string,
  { body }: Plain,
  { signal, token = currentSession()?.token }: CallOptions,
): Promise<Response> => {
  const limit = AbortSignal.timeout(timeLimitMs)
  const { headers, ...content } = encoded(body)
  return fetch(address, {
    method,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    ...content,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  })
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError'
const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

const pauses = [300, 700, 1500]
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Tries until there is an answer, three more times within three seconds; then throws what the last try threw. */
const persistently = async (attempt: () => Promise<Response>): Promise<Response> => {
  for (const ms of pauses) {
    try {
      return await attempt()
    } catch (error) {
      if (isTimeout(error) || isAbort(error)) throw error
      await pause(ms)
    }
  }
  return attempt()
}

/** Other servers give none. */
const getRequestIdHeader = ({ headers }: Response): string | undefined => headers.get(requestIdHeader) ?? undefined

const parseBody = async (response: Response): Promise<unknown> => {
  if (response.status === 204 || response.status === 202) return undefined
  try {
    return await response.json()
  } catch {
    throw new ApiError('unparsable', response.status, somethingWentWrong, { requestId: getRequestIdHeader(response) })
  }
}

const settle = async (response: Response, { ownFailures }: CallOptions): Promise<unknown> => {
  if (response.ok) return parseBody(response)
  if (response.status === 401 && !ownFailures) {
    endSession(flashes.expired)
    throw new ApiError('session-ended', 401, flashes.expired, { requestId: getRequestIdHeader(response) })
  }
  throw refusedBy(response.status, await parseBody(response), getRequestIdHeader(response))
}

/** A write is never sent twice. Whether the server is unreachable is checked with a read. */
const reach = async (method: string, address: string, input: Plain, options: CallOptions) => {
  const { ownFailures, background } = options
  const once = () => send(method, address, input, options)
  if (ownFailures || background) return once()
  if (method === 'GET') return persistently(once)
  try {
    return await once()
  } catch (error) {
    if (isTimeout(error) || isAbort(error)) throw error
    await persistently(() => send('GET', `${config().apiBase}/PasswordSettings`, {}, options))
    throw new ApiError('timed-out', 0, 'The connection broke off; it is not known whether this was saved')
  }
}

const unreachable = (error: unknown, { background, ownFailures, unasked }: CallOptions): ApiError => {
  if (error instanceof ApiError) return error
  if (isTimeout(error)) return new ApiError('timed-out', 0, 'The server took too long to answer, please try again')
  if (!background && !ownFailures && !unasked) endSession(flashes.unreachable)
  return new ApiError('unreachable', 0, flashes.unreachable)
}

/** Calls an endpoint by its name in the contract; throws Failure. */
export const api = async <K extends keyof Contract>(
  key: K,
  input: Input<K>,
  options: CallOptions = {},
): Promise<EndpointResult<Contract[K]>> => {
  const [method = '', path = ''] = key.split(' ')
  const plain: Plain = input
  const address = buildUrl(config().apiBase, path, plain)
  let response: Response
  try {
    response = await reach(method, address, plain, options)
  } catch (error) {
    if (isAbort(error)) throw error
    throw unreachable(error, options)
  }
  // The server's answers are checked against the contract by its own tests; here they have its types.
  return (await settle(response, options)) as EndpointResult<Contract[K]>
}

import type { BodyInput, EndpointResult, PathParams, QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { Call } from '@patchbay/contract/recent-calls'
import { currentSession, endSession, flashes, requirePasswordChange } from '../session/session.ts'
import { ApiError, getRequestIdHeader, somethingWentWrong, toApiError } from './api-error.ts'
import { config } from './configuration.ts'
import { isAbort, isReconnecting, isTimeout, reconnectMs, sendUntilResponse } from './reconnect.ts'
import { recordVersions } from './record-versions.ts'
import { findTaggedResponse, keepTaggedResponse } from './tagged-responses.ts'

/** The API client. It uses only the types of the contract, so that no schema is part of the bundle. */

type Part<Name extends string, T> = undefined extends T
  ? T extends undefined
    ? object
    : { [N in Name]?: T }
  : { [N in Name]: T }

export type Input<K extends keyof Contract> = (keyof PathParams<K> extends never ? object : { params: PathParams<K> }) &
  Part<'query', QueryInput<Contract[K]>> &
  Part<'body', BodyInput<Contract[K]>>

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Set for polling, whose failures never end the session. */
  background?: true
  /**
   * Set for refreshes that the user did not start. They are retried like any read, but a network failure does not end
   * the session.
   */
  unasked?: boolean
  /** The caller handles all failures, as for sign-in and sign-out. */
  ownFailures?: true
  /**
   * Set for an update whose repetition has another effect, such as one that adds rows, or that needs the old password.
   * If the connection is lost, it is not sent again.
   */
  once?: true
  /** Receives the progress of a call that takes a request for each of its records (`jambonz/`). */
  onProgress?: (done: number) => void
  /** The call that a request is about. jambonz finds its data by other members than its SID (`jambonz/`). */
  call?: Call
  /** A token that replaces the one of the session. */
  token?: string
  /** The record as the user has seen it. The update fails with 412 if it has been changed meanwhile. */
  base?: object | undefined
}

const timeLimitMs = 30_000

/** An entity tag that no record has. The server answers with the record and its version, and the form merges it. */
const unknownVersion = '""'

/** The input of any endpoint. */
export interface Plain {
  params?: Readonly<Record<string, string | undefined>>
  query?: Readonly<Record<string, string | undefined>>
  body?: unknown
}

/**
 * Returns parameters as the query of a URL, with its question mark. Omits empty ones, except `value`, which selects what has
 * no value.
 */
export const formatQuery = (params: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(params).filter(
    ([name, value]) => value !== undefined && (value !== '' || name === 'value'),
  )
  // URLSearchParams converts numbers to text.
  const text = new URLSearchParams(entries as [string, string][]).toString()
  return text && `?${text}`
}

/** Returns the URL of an endpoint with encoded parameters. Omits empty query parameters. */
export const buildUrl = (base: string, path: string, { params = {}, query = {} }: Plain): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return `${base}${filled}${formatQuery(query)}`
}

/** Encodes a body with files as a form, and any other body as JSON. */
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
  { signal, token = currentSession()?.token, base }: CallOptions,
  tag: string | undefined,
): Promise<Response> => {
  const limit = AbortSignal.timeout(timeLimitMs)
  const { headers, ...content } = encoded(body)
  return fetch(address, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(tag === undefined ? {} : { 'if-none-match': tag }),
      ...(base ? { 'if-match': recordVersions.get(base) ?? unknownVersion } : {}),
      ...headers,
    },
    ...content,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  })
}

/** A module that stands in for what a server without Patchbay's extensions lacks. */
interface Answers {
  /** Also answers updates of any record that depend on its version. */
  answer: (key: string, input: Plain, options: CallOptions) => Promise<unknown>
}

/** Sends requests, and answers calls for a server without Patchbay's endpoints. */
export const transport: {
  /** Sends a request. `form/copy-request` replaces it while it records what a form would send. */
  send: typeof send
  /** Loads what answers the calls of Patchbay's endpoints, for a server that does not have them. */
  loadAnswers?: () => Promise<Answers>
} = { send }

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
  const requestId = getRequestIdHeader(response)
  if (response.status === 401 && !ownFailures) {
    endSession(flashes.expired)
    throw new ApiError('session-ended', 401, flashes.expired, { requestId })
  }
  const error = toApiError(response.status, await parseBody(response), requestId)
  recordVersions.set(Object(error.answer['record']), response.headers.get('record-version'))
  if (error.answer['code'] === 'password_change_required' && !ownFailures) requirePasswordChange()
  throw error
}

/** Refreshes that the user did not start are repeated for this time. A later refresh follows anyway. */
const refreshRetryMs = 2_500

/** Waits until the server responds. Repeats `/health` for up to 60 s. */
export const waitForServer = (): Promise<Response> =>
  sendUntilResponse(() => fetch(new URL('/health', new URL(config().apiBase, window.location.origin))))

/**
 * Sends a request. Requests that can be repeated without harm are sent again until there is a response. Others are sent
 * at most once: during an outage they wait for the server first, and if the connection is lost, the user decides.
 */
const reach = async (method: string, address: string, input: Plain, options: CallOptions, tag: string | undefined) => {
  const { ownFailures, background, unasked, once } = options
  const attempt = () => transport.send(method, address, input, options, tag)
  if (ownFailures || background) return attempt()
  if (method === 'GET' || (method === 'PUT' && !once))
    return sendUntilResponse(attempt, unasked ? refreshRetryMs : reconnectMs)
  if (isReconnecting()) await waitForServer()
  try {
    return await attempt()
  } catch (error) {
    if (isTimeout(error) || isAbort(error)) throw error
    await waitForServer()
    throw new ApiError(
      'timed-out',
      0,
      'The connection was lost before the server responded. Reload the page to see whether the change was saved',
    )
  }
}

const unreachable = (error: unknown, { background, ownFailures, unasked }: CallOptions): ApiError => {
  if (error instanceof ApiError) return error
  if (isTimeout(error)) return new ApiError('timed-out', 0, 'The server did not respond in time. Try again')
  if (!background && !ownFailures && !unasked) endSession(flashes.unreachable)
  return new ApiError('unreachable', 0, flashes.unreachable)
}

/** The endpoints that Patchbay adds to the API of jambonz. */
export type PatchbayKey = Extract<keyof Contract, `${string} /patchbay/${string}`>

/** Answers a call of an endpoint like the server: with the body of a response, or with an ApiError. */
export type Answer<K extends PatchbayKey> = (
  input: Input<K>,
  options: CallOptions,
) => Promise<EndpointResult<Contract[K]>>

/**
 * Calls an endpoint of the contract and returns the body of its response.
 * @param key method and path, such as `GET /Accounts/:account_sid`
 * @throws ApiError for every failure except an abort by `options.signal`
 */
export const api = async <K extends keyof Contract>(
  key: K,
  input: Input<K>,
  options: CallOptions = {},
): Promise<EndpointResult<Contract[K]>> => {
  const [method = '', path = ''] = key.split(' ')
  const plain: Plain = input
  const { loadAnswers } = transport
  if (loadAnswers && (options.base || path.startsWith('/patchbay/')))
    // The cast is safe: the answers have the types of the contract (jambonz/answers.ts).
    return (await loadAnswers()).answer(key, plain, options) as Promise<EndpointResult<Contract[K]>>
  const address = buildUrl(config().apiBase, path, plain)
  const lastResponse = method === 'GET' ? findTaggedResponse(address) : undefined
  let response: Response
  try {
    response = await reach(method, address, plain, options, lastResponse?.tag)
  } catch (error) {
    throw isAbort(error) ? error : unreachable(error, options)
  }
  const body = response.status === 304 && lastResponse ? lastResponse.body : await settle(response, options)
  recordVersions.set(Object(body), response.headers.get('record-version'))
  if (method === 'GET') keepTaggedResponse(address, response, body)
  // The cast is safe because the tests of the server validate responses against the contract.
  return body as EndpointResult<Contract[K]>
}

import { ApiError } from '@patchbay/contract/api/errors'
import { z } from 'zod'
import { getErrorCode } from '../../lib/error-code.ts'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'
import { operatorTransport, readBody } from '../outbound-http/transport.ts'

/**
 * Sends commands for calls to the feature servers (docs/reference/platform-api/live-calls.md#feature-servers). Their
 * addresses may be private: the feature servers write them to Redis, or the operator configures them. No tenant can set
 * them.
 */
export interface FeatureServer {
  /**
   * Posts to the first feature server that accepts a connection. A request is never sent twice.
   * @throws ApiError with the feature server's message and status if it rejects the command, or with 5xx if no server
   * accepts a connection or the response cannot be used
   */
  post(bases: readonly string[], path: string, body: object): Promise<FeatureServerResponse>
}

/** The response to a command that a feature server has accepted. */
export interface FeatureServerResponse {
  /** 200 to 299 */
  status: number
  /** Parsed JSON. Undefined if the body is not JSON. */
  body: unknown
}

/** Default time limit. A feature server responds to a new call before anyone answers it. */
const defaultTimeoutMs = 15_000

/** Errors that occur before a connection exists, so the command has not been sent. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
])

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toFirstLine = (text: string): string | undefined => {
  const [line = ''] = text.trim().split(/[\r\n]/)
  return line === '' || line.startsWith('<') ? undefined : line.slice(0, 300)
}

const errorBody = z.union([
  z.object({ msg: z.string() }).transform(({ msg }) => msg),
  z
    .object({ errors: z.array(z.object({ msg: z.string() })).min(1) })
    .transform(({ errors }) => errors.map(({ msg }) => msg).join(', ')),
])

/** Returns the feature server's error message, limited to one line of 300 characters. */
const extractMessage = (text: string): string | undefined => {
  const body = parseJson(text)
  return toFirstLine(body === undefined ? text : (errorBody.safeParse(body).data ?? ''))
}

/** Messages of the package `verb-specifications`, which feature servers send with status 500. */
const isValidationMessage = (msg: string): boolean =>
  /^[\w:]{1,50}: (?:unknown property|property [^\s]{1,100} (?:has|is)|missing value for) /.test(msg) ||
  (msg.startsWith('invalid value ') && msg.includes(' must be one of '))

/**
 * Converts an error response. A 401 concerns Patchbay's own request, so it is not passed on: it would end the user's
 * session.
 */
const toApiError = (status: number, text: string): ApiError => {
  const msg = extractMessage(text)
  const isInvalid = status === 500 && msg !== undefined && isValidationMessage(msg)
  if (!isInvalid && (status < 400 || status > 499)) return new ApiError('feature_server_failed')
  const passedOn = isInvalid ? 400 : status
  return new ApiError('feature_server_rejected', msg ? { msg } : {}, passedOn === 401 ? undefined : passedOn)
}

const postTo = async (base: string, path: string, body: object, limit: AbortSignal): Promise<FeatureServerResponse> => {
  const url = new URL(`${withoutTrailingSlashes(base)}/${path}`)
  const response = await operatorTransport.send(url, {
    service: 'feature_server',
    continuesTrace: true,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: limit,
  })
  const { status } = response
  const text = (await readBody(response)).toString('utf8')
  if (status >= 200 && status <= 299) return { status, body: parseJson(text) }
  throw toApiError(status, text)
}

const getCause = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error

/** A host name with several addresses fails with one cause per address. */
const getErrorCodes = (error: unknown): string[] => {
  const cause = getCause(error)
  return cause instanceof AggregateError ? cause.errors.map(getErrorCode) : [getErrorCode(cause)]
}

const withCause = (code: 'feature_server_unavailable' | 'feature_server_timeout', cause: unknown): ApiError =>
  Object.assign(new ApiError(code), { cause })

/**
 * Creates the client for feature servers.
 * @param timeoutMs time limit of a command, over all feature servers that are tried
 */
export const createFeatureServer = (timeoutMs = defaultTimeoutMs): FeatureServer => ({
  async post(bases, path, body) {
    if (bases.length === 0) throw new ApiError('no_feature_server_available')
    const limit = AbortSignal.timeout(timeoutMs)
    let connectError: unknown
    for (const base of bases) {
      try {
        return await postTo(base, path, body, limit)
      } catch (error) {
        if (error instanceof ApiError) throw error
        if (limit.aborted || !getErrorCodes(error).every((code) => connectErrorCodes.has(code)))
          throw withCause('feature_server_timeout', error)
        connectError = error
      }
    }
    throw withCause('feature_server_unavailable', connectError)
  },
})

import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { ApiError } from '@patchbay/contract/errors'
import { getErrorCode } from '../../lib/error-code.ts'
import { operatorTransport, readBody } from '../outbound-http/transport.ts'

/**
 * The feature servers do with calls what is asked (api/4-calls-and-hosted.md §3.1). Their addresses are the platform's own,
 * written by them into its Redis or set by the operator, and not any tenant's: they are called wherever they are.
 */
export interface FeatureServer {
  /**
   * Posts to the first of these that can be connected to. Refused with its own words and status where it refuses; with 5xx
   * where none is there, or what it says cannot be used. Nothing is sent twice.
   */
  post(bases: readonly string[], path: string, body: object): Promise<FeatureServerAnswer>
}

export interface FeatureServerAnswer {
  /** 200 to 299 */
  status: number
  /** as JSON; undefined where it is none */
  body: unknown
}

/** As long as one waits: a new call is answered before anybody picks up. */
const milliseconds = 15_000

/** A connection that was not made: nothing was asked. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
])

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What somebody far away says of a refusal: one line, not long. */
const wordsOf = (text: string): string | undefined => {
  const body = parsed(text)
  const said: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'msg') : undefined
  const [line = ''] = (typeof said === 'string' ? said : body === undefined ? text : '').trim().split(/[\r\n]/)
  return line === '' || line.startsWith('<') ? undefined : line.slice(0, 300)
}

/** What is refused with 401 is our own doing, and must not end the session of who asked. */
const refusalOf = (status: number, text: string): ApiError => {
  const msg = wordsOf(text)
  if (status < 400 || status > 499) return new ApiError('feature_server_failed')
  return new ApiError('feature_server_refused', msg ? { msg } : {}, status === 401 ? undefined : status)
}

const ask = async (base: string, path: string, body: object, limit: AbortSignal): Promise<FeatureServerAnswer> => {
  const url = new URL(`${withoutTrailingSlashes(base)}/${path}`)
  const response = await operatorTransport.send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: limit,
  })
  const { status } = response
  const text = (await readBody(response)).toString('utf8')
  if (status >= 200 && status <= 299) return { status, body: parsed(text) }
  throw refusalOf(status, text)
}

const causeOf = (error: unknown): unknown => (error instanceof Error && error.cause !== undefined ? error.cause : error)

/** The causes of a name that has several addresses come together. */
const codesOf = (error: unknown): string[] => {
  const cause = causeOf(error)
  return cause instanceof AggregateError ? cause.errors.map(getErrorCode) : [getErrorCode(cause)]
}

const withCause = (code: 'feature_server_away' | 'feature_server_silent', cause: unknown): ApiError =>
  Object.assign(new ApiError(code), { cause })

export const createFeatureServer = (timeout = milliseconds): FeatureServer => ({
  async post(bases, path, body) {
    if (bases.length === 0) throw new ApiError('no_feature_server')
    const limit = AbortSignal.timeout(timeout)
    let away: unknown
    for (const base of bases) {
      try {
        return await ask(base, path, body, limit)
      } catch (error) {
        if (error instanceof ApiError) throw error
        if (limit.aborted || !codesOf(error).every((code) => notConnected.has(code)))
          throw withCause('feature_server_silent', error)
        away = error
      }
    }
    throw withCause('feature_server_away', away)
  },
})

import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import { googleAccount, googleAssertion, googleTokenUrl } from '../google-account.ts'
import { readBody, type TransportRequest, type TransportResponse } from '../outbound-http/transport.ts'
import type { StorageAccess } from './bucket.ts'

/** Requests to the JSON API of Google Cloud Storage (cloud.google.com/storage/docs/json_api). */

export const googleOrigin = 'https://storage.googleapis.com'
const scope = 'https://www.googleapis.com/auth/devstorage.read_write'
/** Tokens are valid for an hour. */
const tokenMs = 50 * 60_000
const maxTries = 3
const retryBackoff = { firstMs: 250, maxMs: 5000 }
/** Google stored only a part of an upload. */
export const partialStatus = 308

export class GoogleStorageError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const getStatus = (error: unknown) => (error instanceof GoogleStorageError ? error.status : undefined)

const failure = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
  error_description: z.string().optional(),
})
const token = z.object({ access_token: z.string() })

const parseErrorMessage = (status: number, body: string): string => {
  try {
    const { error, error_description } = failure.parse(JSON.parse(body))
    if (typeof error === 'object') return error.message
    return error_description === undefined ? error : `${error}: ${error_description}`
  } catch {
    return `Google answered with status ${status}`
  }
}

/**
 * Parses the body of a response.
 * @throws GoogleStorageError if it does not match the schema
 */
export const readJson = async <T>(response: TransportResponse, schema: z.ZodType<T>): Promise<T> => {
  const body = (await readBody(response)).toString('utf8')
  try {
    return schema.parse(JSON.parse(body))
  } catch {
    throw new GoogleStorageError(response.status, 'Google returned an unexpected response')
  }
}

/** Throws a GoogleStorageError unless the response is successful. */
export const checkStatus = async (response: TransportResponse): Promise<TransportResponse> => {
  const { status } = response
  if (status >= 200 && status <= 299) return response
  throw new GoogleStorageError(status, parseErrorMessage(status, (await readBody(response)).toString('utf8')))
}

/** Statuses after which Google recommends a retry (cloud.google.com/storage/docs/retry-strategy). */
const temporaryStatuses: readonly unknown[] = [partialStatus, 408, 429, 500, 502, 503, 504]

/** Repeats an attempt that fails temporarily. The attempt is called with the number of failures before it. */
export const withRetries = async <T>(attempt: (failures: number) => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let failures = 0; ; failures += 1)
    try {
      return await attempt(failures)
    } catch (error) {
      if (failures + 1 === maxTries || !temporaryStatuses.includes(getStatus(error))) throw error
      await delay(exponentialBackoffMs(failures + 1, retryBackoff), undefined, { signal })
    }
}

export type GoogleRequest = TransportRequest & { signal: AbortSignal }
/** A request that can be repeated. */
type RepeatableRequest = GoogleRequest & { body?: string }

export interface GoogleClient {
  /** Sends a request once, without a token. */
  sendOnce(url: string, request: GoogleRequest): Promise<TransportResponse>
  /**
   * Sends a request with the account's token. Repeats it after a temporary failure, or once with a new token if Google
   * rejects the token.
   * @throws GoogleStorageError if Google rejects the request
   */
  send(url: string, request: RepeatableRequest): Promise<TransportResponse>
}

/** @throws Error if the service key is invalid */
export const createGoogleClient = (serviceKey: string, { transport, limits }: StorageAccess): GoogleClient => {
  const account = googleAccount(serviceKey)
  let cachedToken: { token: string; until: number } | undefined

  const sendOnce = (url: string, request: GoogleRequest) =>
    transport.send(url, { ...request, limits: { ...limits.control, ...request.limits } })

  const signIn = async (signal: AbortSignal): Promise<string> => {
    if (cachedToken !== undefined && cachedToken.until > performance.now()) return cachedToken.token
    const grant = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await googleAssertion(account, scope),
    }
    const response = await sendOnce(googleTokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(grant).toString(),
      signal,
    })
    const { access_token } = await readJson(await checkStatus(response), token)
    cachedToken = { token: access_token, until: performance.now() + tokenMs }
    return access_token
  }

  const sendAuthorized = async (url: string, request: RepeatableRequest): Promise<TransportResponse> => {
    const authorization = `Bearer ${await signIn(request.signal)}`
    return sendOnce(url, { ...request, headers: { ...request.headers, authorization } })
  }

  return {
    sendOnce,
    send: (url, request) =>
      withRetries(async () => {
        const response = await sendAuthorized(url, request)
        if (response.status !== 401) return checkStatus(response)
        // Google can revoke a token before it expires.
        cachedToken = undefined
        await readBody(response)
        return checkStatus(await sendAuthorized(url, request))
      }, request.signal),
  }
}

import { currentSession, endSession, flashes } from '../session/session.ts'
import { ApiError, getRequestIdHeader, toApiError } from './api-error.ts'
import { config } from './configuration.ts'

/** Requests for responses that are not JSON: audio and files. */

const longestMs = 30_000

interface BytesRequest {
  method?: 'POST'
  body?: string
  headers?: Readonly<Record<string, string>>
  /** Time limit for the complete response in milliseconds. Large files take longer than the default. */
  withinMs?: number
  signal?: AbortSignal
}

/**
 * Requests a response that is not JSON.
 * @param path path below the API base, with encoded parameters
 * @throws ApiError unless the response is 2xx
 */
export const fetchBinary = async (
  path: string,
  { headers, withinMs = longestMs, signal, ...request }: BytesRequest = {},
): Promise<Response> => {
  const limit = AbortSignal.timeout(withinMs)
  let response: Response
  try {
    response = await fetch(`${config().apiBase}${path}`, {
      ...request,
      headers: { authorization: `Bearer ${currentSession()?.token ?? ''}`, ...headers },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError('unreachable', 0, 'The server could not be reached. Try again')
  }
  if (response.status === 401) {
    endSession(flashes.expired)
    throw new ApiError('session-ended', 401, flashes.expired)
  }
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => undefined)
    throw toApiError(response.status, body, getRequestIdHeader(response))
  }
  return response
}

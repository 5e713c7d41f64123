import { currentSession, endSession, flashes } from '../session/session.ts'
import { config } from './configuration.ts'
import { ApiError, refusedBy } from './api-error.ts'

/** Requests for responses that are not JSON: audio and files. */

const longestMs = 30_000

interface BytesRequest {
  method?: 'POST'
  body?: string
  headers?: Readonly<Record<string, string>>
  /** until all of it is there; files of many megabytes take their time */
  withinMs?: number
  signal?: AbortSignal
}

/** `path` is below the API's base, its parameters encoded. */
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
    throw new ApiError('unreachable', 0, 'The server could not be reached, please try again')
  }
  if (response.status === 401) {
    endSession(flashes.expired)
    throw new ApiError('session-ended', 401, flashes.expired)
  }
  if (!response.ok) throw refusedBy(response.status, await response.json().catch(() => undefined))
  return response
}

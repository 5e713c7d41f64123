import type { APIResponse, Route } from '@playwright/test'

/**
 * Sends a request of the console to the server, for a test that changes the response. The request has no entity tag,
 * because the server would answer 304 without a body if the console has read the same URL before.
 */
export const fetchUnconditionally = (route: Route): Promise<APIResponse> => {
  const { 'if-none-match': _tag, ...headers } = route.request().headers()
  return route.fetch({ headers })
}

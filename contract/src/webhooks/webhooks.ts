/** Validation of webhook URLs, shared by the forms and the server. */

export const hookMethods = ['GET', 'POST'] as const
export type HookMethod = (typeof hookMethods)[number]

const schemes = new Set(['http:', 'https:', 'ws:', 'wss:'])

/** Returns whether the text is an absolute http(s) or ws(s) URL. */
export const isWebhookUrl = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  return schemes.has(new URL(url).protocol)
}

const hostnames = /^[a-z\d.-]+$/i

/**
 * Returns the error of an application webhook's URL with the message of the platform's API
 * (docs/reference/platform-api/applications.md#create-an-application), or undefined.
 */
export const validateHookUrl = (url: string): string | undefined => {
  if (!URL.canParse(url)) return 'URL is invalid'
  if (url !== url.trim()) return 'URL contains leading/trailing whitespace'
  const { hostname, protocol } = new URL(url)
  if (!hostnames.test(hostname)) return `URL has invalid hostname ${hostname}`
  return schemes.has(protocol) ? undefined : `URL has missing or invalid protocol ${protocol}`
}

/** Returns whether a URL is a WebSocket URL, which requires the method GET (APPS-18). */
export const isWebsocketUrl = (url: string): boolean => url.trim().toLowerCase().startsWith('ws')

/**
 * Returns whether the URL of the calling webhook is copied to the status webhook: if the status webhook is empty, contains
 * the last copy, or both are websocket URLs (APPS-19).
 */
export const copiesCallUrl = (typed: string, status: string, copied: string | undefined): boolean =>
  status === '' || status === copied || (isWebsocketUrl(typed) && isWebsocketUrl(status))

/** Webhooks of an application that can be tested. */
export const triedHooks = ['call_hook', 'call_status_hook'] as const
export type TriedHook = (typeof triedHooks)[number]

/** Call statuses that a test request can contain. */
export const triedStatuses = ['trying', 'early-media', 'in-progress', 'completed', 'no-answer'] as const
export type TriedStatus = (typeof triedStatuses)[number]

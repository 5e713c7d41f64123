/** Rules of webhook addresses, shared by forms and server. */

export const hookMethods = ['GET', 'POST'] as const
export type HookMethod = (typeof hookMethods)[number]

const schemes = new Set(['http:', 'https:', 'ws:', 'wss:'])

/** An absolute http(s) or ws(s) address. */
export const isWebhookUrl = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  return schemes.has(new URL(url).protocol)
}

const hostnames = /^[a-z\d.-]+$/i

/** What is wrong with the address of an application's webhook, in the platform's words (api/1-identity.md §11.4). */
export const validateHookUrl = (url: string): string | undefined => {
  if (!URL.canParse(url)) return 'URL is invalid'
  if (url !== url.trim()) return 'URL contains leading/trailing whitespace'
  const { hostname, protocol } = new URL(url)
  if (!hostnames.test(hostname)) return `URL has invalid hostname ${hostname}`
  return schemes.has(protocol) ? undefined : `URL has missing or invalid protocol ${protocol}`
}

/** A websocket address fixes the method to GET (spec 0 §5). */
export const isWebsocketUrl = (url: string): boolean => url.trim().toLowerCase().startsWith('ws')

/**
 * Whether the status webhook's address becomes what is typed as the calling webhook's: while it is empty, is what was
 * copied before, or both are websockets (spec 0 §5).
 */
export const copiesCallUrl = (typed: string, status: string, copied: string | undefined): boolean =>
  status === '' || status === copied || (isWebsocketUrl(typed) && isWebsocketUrl(status))

/** The webhooks of an application that can be tried out. */
export const triedHooks = ['call_hook', 'call_status_hook'] as const
export type TriedHook = (typeof triedHooks)[number]

/** What a call status webhook can be told of an inbound call. */
export const triedStatuses = ['trying', 'early-media', 'in-progress', 'completed', 'no-answer'] as const
export type TriedStatus = (typeof triedStatuses)[number]

/** Rules of webhook addresses, shared by forms and server. */

export const hookMethods = ['GET', 'POST'] as const
export type HookMethod = (typeof hookMethods)[number]

const schemes = new Set(['http:', 'https:', 'ws:', 'wss:'])

/** An absolute http(s) or ws(s) address. */
export const isWebhookUrl = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  return schemes.has(new URL(url).protocol)
}

/** A websocket address fixes the method to GET (spec 0 §5). */
export const isWebsocketUrl = (url: string): boolean => url.trim().toLowerCase().startsWith('ws')

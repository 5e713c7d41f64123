/**
 * Maps the URLs of the API to the routes that exist, so that each endpoint has one route. A route per prefix would double
 * the router: its memory, and its share of the start.
 */

/** The API is available under /v1 and /api/v1. Clients of jambonz also request /api//v1. */
const secondPrefix = /^\/+api\/+(?=v1(?:[/?]|$))/i

/** Stripe is configured with a URL without the /v1 prefix (docs/reference/platform-api/hosted-mode.md#billing). */
const stripeWebhook = /^\/+stripe\/webhook\/?$/i

/** Returns whether a client has requested a URL under /api/v1. */
export const hasSecondPrefix = (url: string): boolean => secondPrefix.test(url)

/** Returns the URL whose route answers a request. Fastify keeps the requested URL as `originalUrl`. */
export const rewriteUrl = (url: string): string => {
  if (stripeWebhook.test(url)) return '/v1/stripe/webhook'
  return url.replace(secondPrefix, '/')
}

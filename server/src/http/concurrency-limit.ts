import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ApiError } from '@patchbay/contract/api/errors'
import { requestIdHeader } from '@patchbay/contract/api/request-ids'
import type { FastifyInstance } from 'fastify'
import { toClientNetwork } from '../lib/client-network.ts'
import { limitEvents } from '../lib/telemetry.ts'
import { parseRequestId } from './request-id.ts'
import { protectingHeaders } from './security-headers.ts'

/**
 * Maximum number of concurrent API requests per address. A page of the console sends fewer than ten. Further requests
 * are rejected before any other work, so that a flood costs little more than its connections.
 */
const maxConcurrentRequests = 100

/**
 * Requests above this number start in the next iteration of the event loop, so that requests that arrive together are
 * all counted first.
 */
const maxQueuedRequests = 10

const { status, body, retryAfter } = new ApiError('too_many_concurrent_requests')
const errorBody = JSON.stringify(body)
const headers = {
  ...protectingHeaders,
  // Without this header, a browser on another origin would report a network failure.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': requestIdHeader,
  'cache-control': 'no-store',
  'content-length': Buffer.byteLength(errorBody),
  'content-type': 'application/json; charset=utf-8',
  'retry-after': String(retryAfter),
}

const rejectRequest = (request: IncomingMessage, response: ServerResponse, trustedProxies: number): void => {
  limitEvents.publish({ limit: 'address_concurrency' })
  request.resume()
  response.setHeader(requestIdHeader, parseRequestId(request, trustedProxies))
  response.writeHead(status, headers).end(errorBody)
}

/**
 * Returns the client address in the same way as Fastify's `trustProxy`: the header entries of as many proxies are
 * trusted.
 */
export const getClientAddress = (
  { socket, headers: requestHeaders }: IncomingMessage,
  trustedProxies: number,
): string => {
  const forwarded = String(requestHeaders['x-forwarded-for'] ?? '').split(',')
  const addresses = [socket.remoteAddress ?? '', ...forwarded.reverse().map((text) => text.trim())].filter(Boolean)
  return addresses[Math.min(trustedProxies, addresses.length - 1)] ?? ''
}

const isApiRequest = ({ url = '' }: IncomingMessage): boolean => /^\/+(?:api\/+)?v1\//i.test(url)

export const limitConcurrentRequests = (app: FastifyInstance, trustedProxies: number): void => {
  const activeRequests = new Map<string, number>()
  const finish = (network: string) => {
    const remaining = (activeRequests.get(network) ?? 1) - 1
    if (remaining > 0) activeRequests.set(network, remaining)
    else activeRequests.delete(network)
  }
  const withLimit =
    (handle: RequestListener): RequestListener =>
    (request, response) => {
      if (!isApiRequest(request)) return handle(request, response)
      const network = toClientNetwork(getClientAddress(request, trustedProxies))
      const before = activeRequests.get(network) ?? 0
      if (before >= maxConcurrentRequests) return rejectRequest(request, response, trustedProxies)
      activeRequests.set(network, before + 1)
      response.once('close', () => finish(network))
      if (before < maxQueuedRequests) handle(request, response)
      else setImmediate(() => response.destroyed || handle(request, response))
    }
  // Node documents that listeners of this event are request listeners.
  const handlers = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  for (const handle of handlers) app.server.on('request', withLimit(handle))
}

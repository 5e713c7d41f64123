import { ApiError } from '@patchbay/contract/errors'
import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { toClientNetwork } from '../lib/client-network.ts'
import { parseRequestId } from './request-id.ts'
import { protectingHeaders } from './security-headers.ts'

/**
 * Requests to the API of one address that may be under way together; a page asks for less than ten. The rest is turned
 * away before anything is done for it, so that a flood costs little more than its connections.
 */
const maxConcurrentRequests = 100

/** Beyond these they begin with the next round of the event loop, so that all who come together are counted first. */
const maxQueuedRequests = 10

const { status, body, retryAfter } = new ApiError('too_much_at_once')
const answer = JSON.stringify(body)
const headers = {
  ...protectingHeaders,
  // Without it a browser on another origin would see a network failure.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': requestIdHeader,
  'cache-control': 'no-store',
  'content-length': Buffer.byteLength(answer),
  'content-type': 'application/json; charset=utf-8',
  'retry-after': String(retryAfter),
}

const rejectRequest = (request: IncomingMessage, response: ServerResponse, trustedProxies: number): void => {
  request.resume()
  response.setHeader(requestIdHeader, parseRequestId(request, trustedProxies))
  response.writeHead(status, headers).end(answer)
}

/** As Fastify's `trustProxy` finds it: what so many proxies have added to the header is believed. */
export const getClientAddress = ({ socket, headers: sent }: IncomingMessage, trustedProxies: number): string => {
  const forwarded = String(sent['x-forwarded-for'] ?? '').split(',')
  const addresses = [socket.remoteAddress ?? '', ...forwarded.reverse().map((text) => text.trim())].filter(Boolean)
  return addresses[Math.min(trustedProxies, addresses.length - 1)] ?? ''
}

const isOfApi = ({ url = '' }: IncomingMessage): boolean => /^\/+(?:api\/+)?v1\//i.test(url)

export const limitConcurrentRequests = (app: FastifyInstance, trustedProxies: number): void => {
  const underWay = new Map<string, number>()
  const leave = (network: string) => {
    const left = (underWay.get(network) ?? 1) - 1
    if (left > 0) underWay.set(network, left)
    else underWay.delete(network)
  }
  const guarded =
    (handle: RequestListener): RequestListener =>
    (request, response) => {
      if (!isOfApi(request)) return handle(request, response)
      const network = toClientNetwork(getClientAddress(request, trustedProxies))
      const before = underWay.get(network) ?? 0
      if (before >= maxConcurrentRequests) return rejectRequest(request, response, trustedProxies)
      underWay.set(network, before + 1)
      response.once('close', () => leave(network))
      if (before < maxQueuedRequests) handle(request, response)
      else setImmediate(() => response.destroyed || handle(request, response))
    }
  // Listeners of this event are request listeners by Node's own contract.
  const handlers = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  for (const handle of handlers) app.server.on('request', guarded(handle))
}

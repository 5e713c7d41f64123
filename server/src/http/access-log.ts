import { isSid } from '@patchbay/contract/shared/sids'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getReceivedStatus } from './observe-requests.ts'
import { runForRequest } from './request-context.ts'
import { hasSecondPrefix } from './rewrite-url.ts'

/** Logs each request, if ACCESS_LOG is set. */

/**
 * Returns the path of the URL for the log. Query strings are omitted because some clients put tokens into them, and
 * parameters other than SIDs because some are secrets, such as activation codes.
 */
const toLoggedUrl = ({ is404, originalUrl, params, routeOptions }: FastifyRequest): string => {
  if (is404 || routeOptions.url === undefined) return originalUrl.split('?', 1)[0]?.slice(0, 200) ?? ''
  const values = Object(params) as Readonly<Record<string, unknown>>
  const path = routeOptions.url.replace(/:(\w+_sid)\b/g, (template, name: string) => {
    const value = values[name]
    return typeof value === 'string' && isSid(value) ? value : template
  })
  return hasSecondPrefix(originalUrl) ? `/api${path}` : path
}

/** Status of requests whose client has disconnected before the response began. Nginx logs the same. */
const clientClosedRequest = 499

const logRequest = (request: FastifyRequest, reply: FastifyReply): void => {
  const { method, ip: address } = request
  const status = getReceivedStatus(reply) ?? clientClosedRequest
  const milliseconds = Math.round(reply.elapsedTime * 10) / 10
  const fields = { method, url: toLoggedUrl(request), status, milliseconds, address }
  runForRequest(request, () => request.log.info(fields, 'request completed'))
}

/** Adds a hook that logs each request when its response has been sent, or its client has disconnected. */
export const logRequests = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    // The hook `onResponse` does not run if the client has disconnected before.
    reply.raw.once('close', () => logRequest(request, reply))
    done()
  })
}

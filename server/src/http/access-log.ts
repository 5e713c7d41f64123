import { isSid } from '@patchbay/contract/values'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasSecondPrefix } from './rewrite-url.ts'
import { runForRequest } from './request-context.ts'

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

/** Adds a hook that logs each request when its response has been sent, or its client has disconnected. */
export const logRequests = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip: address } = request
    const { statusCode: status, elapsedTime } = reply
    const milliseconds = Math.round(elapsedTime * 10) / 10
    const fields = { method, url: toLoggedUrl(request), status, milliseconds, address }
    runForRequest(request, () => request.log.info(fields, 'request completed'))
    done()
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { monotonicMs } from '../lib/clock.ts'
import { requestEvents } from '../lib/telemetry.ts'

/** Publishes the requests of an app for metrics. */

/** Returns the template of the route. Files of the console share one label. */
export const toRouteLabel = (url: string): string => {
  if (url.startsWith('/v1/')) return url
  if (url.startsWith('/api/docs')) return '/api/docs'
  return ['/health', '/livez', '/readyz', '/version', '/config.json'].includes(url) ? url : 'console'
}

const started = { is: 'started' } as const

/**
 * Returns the status that the client has received, or null if it has disconnected before the response began. Call it when
 * the response is closed: its status is 200 until a handler sets another one.
 */
export const getReceivedStatus = ({ raw }: FastifyReply): number | null => (raw.headersSent ? raw.statusCode : null)

/** Unknown paths share one label, because callers choose them. Pages of the console have no route of their own. */
const getRouteLabel = (request: FastifyRequest, status: number | null): string => {
  if (request.is404) return status === 200 ? 'console' : 'unmatched'
  return request.routeLabel ?? toRouteLabel(request.routeOptions.url ?? '')
}

/** Publishes the end of a request, when its response has been sent or its client has disconnected. */
const publishFinished = (request: FastifyRequest, reply: FastifyReply, startedAt: number): void => {
  const status = getReceivedStatus(reply)
  requestEvents.publish({
    is: 'finished',
    method: request.method,
    route: getRouteLabel(request, status),
    status,
    seconds: (monotonicMs() - startedAt) / 1000,
  })
}

/**
 * Adds the hooks that publish `requestEvents`. Call it before other hooks and routes are added, and only if the events
 * are observed. Two ways of Fastify take longer than everything else here: the hook `onResponse` adds six listeners to
 * each response, and `request.routeOptions` creates an object at each access. So only requests that a hook has rejected
 * before the hook of their route use the latter.
 */
export const observeRequests = (app: FastifyInstance): void => {
  app.decorateRequest('routeLabel')
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = monotonicMs()
    requestEvents.publish(started)
    reply.raw.once('close', () => publishFinished(request, reply, startedAt))
    done()
  })
  app.addHook('onRoute', (route) => {
    const label = toRouteLabel(route.url)
    const setLabel = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      request.routeLabel = label
      done()
    }
    route.onRequest = [setLabel, route.onRequest ?? []].flat()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Label of the route in metrics, set by the hook of the route. */
    routeLabel?: string
  }
}

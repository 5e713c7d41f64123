import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestEvents } from '../lib/telemetry.ts'

/** Publishes the requests of an app for metrics. */

/** Returns the template of the route, without the second prefix of the API. Files of the console share one label. */
export const toRouteLabel = (url: string): string => {
  if (url.startsWith('/v1/')) return url
  if (url.startsWith('/api/v1/')) return url.slice('/api'.length)
  if (url.startsWith('/api/docs')) return '/api/docs'
  return ['/health', '/livez', '/readyz', '/version', '/config.json'].includes(url) ? url : 'console'
}

const started = { is: 'started' } as const

const publishFinished = (route: string, { method }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void =>
  requestEvents.publish({ is: 'finished', method, route, status: statusCode, seconds: elapsedTime / 1000 })

/**
 * Adds the hooks that publish `requestEvents`. Call it before routes are added, and only if the events are observed.
 * Each route gets a hook with its label, because Fastify creates `request.routeOptions` at each access, which takes
 * longer than everything else here.
 */
export const observeRequests = (app: FastifyInstance): void => {
  app.addHook('onRequest', (_request, _reply, done) => {
    requestEvents.publish(started)
    done()
  })
  app.addHook('onRoute', (route) => {
    const label = toRouteLabel(route.url)
    const publish = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      publishFinished(label, request, reply)
      done()
    }
    route.onResponse = [route.onResponse ?? [], publish].flat()
  })
  // Unknown paths share one label, because callers choose them. Pages of the console have no route of their own.
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) publishFinished(reply.statusCode === 200 ? 'console' : 'unmatched', request, reply)
    done()
  })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requestEvents } from '../lib/telemetry.ts'

/** Publishes the requests of an app for metrics. */

/** Returns the template of the route, without the second prefix of the API. Files of the console share one label. */
const toRouteLabel = (url: string): string => {
  if (url.startsWith('/v1/')) return url
  if (url.startsWith('/api/v1/')) return url.slice('/api'.length)
  if (url.startsWith('/api/docs')) return '/api/docs'
  return ['/health', '/livez', '/readyz', '/version', '/config.json'].includes(url) ? url : 'console'
}

/** Unknown paths share one label, because callers choose them. Pages of the console have no route of their own. */
const createRouteLabels = () => {
  const labels = new Map<string, string>()
  return ({ is404, routeOptions: { url } }: FastifyRequest, status: number): string => {
    if (is404 || url === undefined) return status === 200 ? 'console' : 'unmatched'
    const cachedLabel = labels.get(url)
    if (cachedLabel !== undefined) return cachedLabel
    const label = toRouteLabel(url)
    labels.set(url, label)
    return label
  }
}

const started = { is: 'started' } as const

/** Adds the hooks that publish `requestEvents`. Call it only if the events are observed. */
export const observeRequests = (app: FastifyInstance): void => {
  const getRouteLabel = createRouteLabels()
  app.addHook('onRequest', (_request, _reply, done) => {
    requestEvents.publish(started)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const { statusCode: status, elapsedTime } = reply
    const route = getRouteLabel(request, status)
    requestEvents.publish({ is: 'finished', method, route, status, seconds: elapsedTime / 1000 })
    done()
  })
}

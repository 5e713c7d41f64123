import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { noJsonSchemas } from '../http/no-json-schemas.ts'
import { protectingHeaders } from '../http/security-headers.ts'
import type { Metrics } from './metrics.ts'

/** Serves the metrics on a port of their own, so that they are never reachable through the public one. */

/** Prometheus uses one connection. */
const maxConnections = 16
const requestTimeoutMs = 10_000

/** Creates the server. The caller starts listening. */
export const createMetricsServer = ({ registry }: Metrics, logger: FastifyBaseLogger): FastifyInstance => {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    ...noJsonSchemas,
    requestTimeout: requestTimeoutMs,
    bodyLimit: 1024,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.server.maxConnections = maxConnections
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ ...protectingHeaders, 'cache-control': 'no-store' })
  })
  /** Concurrent requests share one text, because creating it blocks the event loop for a few milliseconds. */
  let rendering: Promise<string> | undefined
  const render = (): Promise<string> => {
    rendering ??= registry.metrics().finally(() => {
      rendering = undefined
    })
    return rendering
  }
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await render()))
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send('The metrics are at /metrics.\n'))
  return app
}

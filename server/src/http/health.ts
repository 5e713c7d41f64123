import type { FastifyInstance, FastifyReply } from 'fastify'
import type { BuildInfo } from '../lib/build-info.ts'
import type { Readiness } from './readiness.ts'

/** Serves the state of the process for load balancers, orchestrators, and monitoring. */

/** Identifies the running program and its database schema. */
export interface VersionInfo extends BuildInfo {
  /** Name of the latest migration of the database schema. */
  schema: string
}

/** A cache in between would hide a change. */
const uncached = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store')

/** Registers `/health`, `/livez`, `/readyz`, and `/version`. */
export const serveHealth = (app: FastifyInstance, readiness: Readiness, build: VersionInfo): void => {
  // Platform clients, some of which also accept JSON, expect the text OK (docs/reference/platform-api/conventions.md).
  app.get('/health', (request, reply) =>
    request.headers.accept === 'application/json'
      ? reply.send({ status: 'OK', version: build.version })
      : reply.type('text/plain; charset=utf-8').send('OK'),
  )
  app.get('/livez', (_request, reply) => uncached(reply).send({ status: 'alive' }))
  app.get('/readyz', async (_request, reply) => {
    const reasons = await readiness.check()
    if (reasons.length === 0) return uncached(reply).send({ status: 'ready' })
    return uncached(reply).code(503).send({ status: 'not_ready', reasons })
  })
  app.get('/version', (_request, reply) => uncached(reply).send(build))
}

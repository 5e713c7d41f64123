import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isTracing, runInContext, type Span, startSpan } from '../lib/spans.ts'
import { toRouteLabel } from './observe-requests.ts'
import { toTraceId } from './request-id.ts'

/** Connects each request with the work that it causes: with log lines by its ID, and with spans if they are exported. */

/** The methods that the API has (OpenTelemetry HTTP semantic conventions: others are `_OTHER`). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Runs a function in the context of a request, for hooks that Fastify calls outside of it. */
export const runForRequest = <T>(request: FastifyRequest, work: () => T): T =>
  runInContext({ requestId: request.id, span: request.span }, work)

/** Starts the span of a request to the API. Files of the console, health checks, and unknown paths have none. */
const startRequestSpan = (request: FastifyRequest, trustsHeaders: boolean): Span | undefined => {
  const route = toRouteLabel(request.routeOptions.url ?? '')
  if (!route.startsWith('/v1/')) return undefined
  const method = methods.has(request.method) ? request.method : '_OTHER'
  return startSpan({
    name: `${method === '_OTHER' ? 'HTTP' : method} ${route}`,
    kind: 'server',
    isRoot: true,
    traceId: toTraceId(request.id),
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
      'patchbay.request.id': request.id,
    },
    ...(trustsHeaders ? { headers: request.headers } : {}),
  })
}

/** Ends the span of a request when its response has been sent, or its client has disconnected before. */
const endRequestSpan = (span: Span, { statusCode, raw }: FastifyReply): void => {
  const isComplete = raw.writableEnded
  const hasFailed = statusCode >= 500 || !isComplete
  span.end({
    hasFailed,
    attributes: {
      ...(raw.headersSent ? { 'http.response.status_code': statusCode } : {}),
      ...(hasFailed ? { 'error.type': isComplete ? String(statusCode) : 'client_disconnected' } : {}),
    },
  })
}

/**
 * Adds the hooks. Call it before routes are added, and after a tracer is set.
 *
 * @param trustsHeaders whether the headers of a request may continue a trace. They decide which requests are exported,
 *   so only a proxy that removes those of other clients is trusted with them.
 */
export const addRequestContext = (app: FastifyInstance, trustsHeaders: boolean): void => {
  app.decorateRequest('span')
  if (isTracing()) {
    app.addHook('onRequest', (request, reply, done) => {
      const span = startRequestSpan(request, trustsHeaders)
      request.span = span
      // The hook `onResponse` would add six listeners to each response.
      if (span?.isRecorded) reply.raw.once('close', () => endRequestSpan(span, reply))
      done()
    })
  }
  // The parser calls back in a context of its own after it has read a body, so the context of the request begins here.
  app.addHook('preHandler', (request, _reply, done) => runForRequest(request, done))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of a request to the API, if traces are exported. */
    span?: Span | undefined
  }
}

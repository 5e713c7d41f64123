import type { Server } from 'node:http'
import { type FastifyHttpOptions, LogController } from 'fastify'
import type { Configuration } from '../config/configuration.ts'
import { errorHandler, handleClientError } from '../http/errors.ts'
import { noJsonSchemas } from '../http/no-json-schemas.ts'
import { parseRequestId, sendRequestId } from '../http/request-id.ts'
import { rewriteUrl } from '../http/rewrite-url.ts'
import { protect } from '../http/security-headers.ts'
import { type LogStream, loggerOptions } from '../lib/log.ts'

/**
 * Returns the options of the HTTP server.
 *
 * @param log destination of the log; nothing is logged if undefined
 */
export const createFastifyOptions = (
  { logLevel, trustedProxies, requestTimeoutSeconds }: Configuration,
  log: LogStream | undefined,
): FastifyHttpOptions<Server> => ({
  logger: log ? loggerOptions(logLevel, log) : false,
  routerOptions: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    // jambonz clients request /v1//Accounts.
    ignoreDuplicateSlashes: true,
    maxParamLength: 300,
  },
  bodyLimit: 100 * 1024,
  ...noJsonSchemas,
  // Errors that occur before routing get the same response format as all others.
  frameworkErrors: (error, request, reply) => void errorHandler(error, request, protect(sendRequestId(reply))),
  clientErrorHandler: handleClientError,
  rewriteUrl: ({ url = '/' }) => rewriteUrl(url),
  genReqId: (request) => parseRequestId(request, trustedProxies),
  // Requests to upgrade to other protocols, such as HTTP/2, are answered over HTTP/1.1.
  http: { shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
  requestTimeout: requestTimeoutSeconds * 1000,
  trustProxy: (_address, hop) => hop < trustedProxies,
  // Fastify would log query strings, where some clients put tokens. See access-log.ts.
  logController: new LogController({ disableRequestLogging: true }),
})

import compress from '@fastify/compress'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import type { SignedBody } from '@patchbay/contract/api/endpoint'
import { ApiError, toErrorBody } from '@patchbay/contract/api/errors'
import { requestIdHeader } from '@patchbay/contract/api/request-ids'
import type { Contract } from '@patchbay/contract/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Rates } from '../auth/rate-limit/rate-limit-store.ts'
import type { Configuration } from '../config/configuration.ts'
import { limitBodyMemory } from './body-memory.ts'
import { type Handlers, type MountOptions, mountContract } from './contract-router.ts'
import { addEntityTags } from './entity-tags.ts'
import { errorHandler } from './errors.ts'
import { withRateLimit } from './rate-limit.ts'
import { recordVersionHeader } from './record-conditions.ts'

/** Mounts the API under /v1. Requests under /api/v1 are mapped to it (rewrite-url.ts). */

const bodyLimit = 100 * 1024

/** Returns the files of a form by field name. If a field occurs repeatedly, the last file is used. */
const parseFiles = async (body: Buffer, type: string): Promise<Readonly<Record<string, File>>> => {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    return Object.fromEntries([...form].filter((part): part is [string, File] => typeof part[1] !== 'string'))
  } catch {
    throw new ApiError('malformed_form')
  }
}

const signedBody = ({ headers, routeOptions }: FastifyRequest, payload: string): SignedBody | undefined => {
  const { signedBy } = routeOptions.config
  return signedBy === undefined ? undefined : { payload, signature: String(headers[signedBy] ?? '') }
}

const acceptBodies = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, (request, body, done) => {
    const signed = signedBody(request, body.toString())
    // Clients send the content type even without a body, for example with DELETE.
    if (signed) done(null, signed)
    else if (body.length === 0) done(null, undefined)
    else void parseJson(request, body.toString(), done)
  })
  // For other endpoints a form counts as an empty body, like any other type.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, body: Buffer) =>
      request.routeOptions.config.upload ? parseFiles(body, request.headers['content-type'] ?? '') : undefined,
  )
  // A body of any other type counts as empty (docs/reference/platform-api/conventions.md#requests).
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (request, body, done) =>
    done(null, signedBody(request, body.toString())),
  )
}

/**
 * Rejects compressed bodies, which no client needs: 50 bytes of Brotli can contain 64 MB. Runs before the caller is
 * authenticated. RFC 9110, section 15.5.16, recommends the header in the response.
 */
const rejectCompressedBody = async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  void reply.header('accept-encoding', 'identity')
  throw new ApiError('unsupported_encoding')
}

export interface ApiOptions extends Omit<MountOptions, 'limitSignedBodies'> {
  handlers: Handlers<keyof Contract>
  configuration: Configuration
  rates: Rates
}

const noStore = 'no-store, no-cache, must-revalidate, proxy-revalidate'

/** Returns a plugin, which is registered with the prefix of the API. */
export const createApi = ({ handlers, configuration, rates, ...options }: ApiOptions) => {
  const limitSignedBodies = limitBodyMemory()
  return async (app: FastifyInstance): Promise<void> => {
    // An OPTIONS request without preflight headers is answered like a preflight.
    const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE']
    await app.register(cors, {
      origin: '*',
      methods,
      exposedHeaders: [requestIdHeader, 'server-timing', 'etag', recordVersionHeader],
      strictPreflight: false,
    })
    await app.register(formbody, { bodyLimit })
    await app.register(compress, {
      threshold: 1024,
      encodings: ['br', 'gzip'],
      brotliOptions: { params: { 1: 4 } },
      globalDecompression: false,
    })
    app.addHook('onRequest', rejectCompressedBody)
    const { rateLimit } = configuration
    const authenticate = rateLimit ? withRateLimit(app, rateLimit, rates, options.authenticate) : options.authenticate
    acceptBodies(app)
    app.addHook('onSend', async (_request, reply) => {
      void reply.header('cache-control', noStore)
    })
    addEntityTags(app)
    app.setErrorHandler(errorHandler)
    app.setNotFoundHandler(async (request, reply) => {
      // Unauthenticated callers cannot find out which paths exist.
      await authenticate(request)
      return reply.code(404).send(toErrorBody('unknown_path'))
    })
    mountContract(app, handlers, { ...options, authenticate, limitSignedBodies })
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for endpoints that accept file uploads. */
    upload?: true
    /** Name of the header that contains the signature of the body. */
    signedBy?: string
  }
}

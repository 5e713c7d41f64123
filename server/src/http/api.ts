import compress from '@fastify/compress'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import { toErrorBody, ApiError } from '@patchbay/contract/errors'
import type { Contract } from '@patchbay/contract/contract'
import type { SignedBody } from '@patchbay/contract/endpoint'
import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Configuration } from '../config/configuration.ts'
import type { Rates } from '../auth/rate-limit/rate-limit-store.ts'
import { errorHandler } from './errors.ts'
import { type Handlers, mountContract, type MountOptions } from './contract-router.ts'
import { withRateLimit } from './rate-limit.ts'

/** Everything under /v1, and the same under /api/v1. */

const bodyLimit = 100 * 1024

/** The files of a form by name, the last of each. */
const filesIn = async (body: Buffer, type: string): Promise<Readonly<Record<string, File>>> => {
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
    // Clients name the content type also where they send nothing, as with DELETE.
    if (signed) done(null, signed)
    else if (body.length === 0) done(null, undefined)
    else void parseJson(request, body.toString(), done)
  })
  // Elsewhere it counts as empty, like any other type.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, body: Buffer) =>
      request.routeOptions.config.upload ? filesIn(body, request.headers['content-type'] ?? '') : undefined,
  )
  // A body of any other type counts as empty (api/1-identity.md §1.1).
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (request, body, done) =>
    done(null, signedBody(request, body.toString())),
  )
}

export interface ApiOptions extends MountOptions {
  handlers: Handlers<keyof Contract>
  configuration: Configuration
  rates: Rates
}

const noStore = 'no-store, no-cache, must-revalidate, proxy-revalidate'

export const createApi =
  ({ handlers, configuration, rates, ...options }: ApiOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    // OPTIONS without the headers of a preflight is answered like one.
    const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE']
    await app.register(cors, {
      origin: '*',
      methods,
      exposedHeaders: [requestIdHeader, 'server-timing'],
      strictPreflight: false,
    })
    await app.register(formbody, { bodyLimit })
    await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'], brotliOptions: { params: { 1: 4 } } })
    const { rateLimit } = configuration
    const authenticate = rateLimit ? withRateLimit(app, rateLimit, rates, options.authenticate) : options.authenticate
    acceptBodies(app)
    app.addHook('onSend', async (_request, reply) => {
      void reply.header('cache-control', noStore)
    })
    app.setErrorHandler(errorHandler)
    app.setNotFoundHandler(async (request, reply) => {
      // Who is not signed in does not learn which paths there are.
      await authenticate(request)
      return reply.code(404).send(toErrorBody('no_such_path'))
    })
    mountContract(app, handlers, { ...options, authenticate })
  }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** bodies are forms of files */
    upload?: true
    /** the header that signs its body */
    signedBy?: string
  }
}

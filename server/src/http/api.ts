import compress from '@fastify/compress'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { errorBodyOf, Refused } from '@patchbay/contract/errors'
import type { Contract } from '@patchbay/contract/contract'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import type { Configuration } from '../configuration.ts'
import type { Rates } from '../platform/rates/rates.ts'
import { answerError } from './errors.ts'
import { type Handlers, mountContract, type MountOptions } from './mount.ts'

/** Everything under /v1, and the same under /api/v1. */

const bodyLimit = 100 * 1024

const acceptBodies = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, (request, body, done) => {
    // Clients name the content type also where they send nothing, as with DELETE.
    if (body.length === 0) done(null, undefined)
    else void parseJson(request, body.toString(), done)
  })
  // A body of any other type counts as empty (api/1-identity.md §1.1).
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, _body, done) => done(null, undefined))
}

const callerKey = (headers: { authorization?: string | undefined }, ip: string): string =>
  headers.authorization ? createHash('sha256').update(headers.authorization).digest('base64url') : ip

/** The plugin makes a store for each prefix; all of them count in the same place. */
const storeIn = (rates: Rates): FastifyRateLimitStoreCtor =>
  class implements FastifyRateLimitStore {
    incr(...[caller, answer, milliseconds]: Parameters<FastifyRateLimitStore['incr']>): void {
      rates.hit(caller, milliseconds).then(
        (window) => answer(null, { current: window.count, ttl: window.milliseconds }),
        (error: Error) => answer(error),
      )
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }

const limitRate = async (
  app: FastifyInstance,
  { max, windowSeconds }: { max: number; windowSeconds: number },
  rates: Rates,
) => {
  await app.register(rateLimit, {
    max,
    timeWindow: windowSeconds * 1000,
    store: storeIn(rates),
    enableDraftSpec: true,
    keyGenerator: (request) => callerKey(request.headers, request.ip),
    // It is thrown, and so answered like every other refusal.
    errorResponseBuilder: () => new Refused('too_many_requests'),
  })
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
    await app.register(cors, { origin: '*', methods, strictPreflight: false })
    await app.register(formbody, { bodyLimit })
    await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'], brotliOptions: { params: { 1: 4 } } })
    if (configuration.rateLimit) await limitRate(app, configuration.rateLimit, rates)
    acceptBodies(app)
    app.addHook('onSend', async (_request, reply) => {
      void reply.header('cache-control', noStore)
    })
    app.setErrorHandler(answerError)
    app.setNotFoundHandler(async (request, reply) => {
      // Who is not signed in does not learn which paths there are.
      await options.authenticate(request)
      return reply.code(404).send(errorBodyOf('no_such_path'))
    })
    mountContract(app, handlers, options)
  }

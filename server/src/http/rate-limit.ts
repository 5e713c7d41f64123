import { createHash } from 'node:crypto'
import type { Actor } from '@patchbay/contract/api/access'
import { ApiError } from '@patchbay/contract/api/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rates } from '../auth/rate-limit/rate-limit-store.ts'
import type { RateLimit } from '../config/option-types.ts'
import { toClientNetwork } from '../lib/client-network.ts'
import { type LimitEvent, limitEvents } from '../lib/telemetry.ts'
import type { Authenticate } from './authentication.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

const getCallerKey = (actor: Actor, token: string): string => {
  switch (actor.token) {
    case 'user':
      return `user:${actor.user_sid}`
    case 'api_key':
      return `key:${digest(token)}`
    case 'platform':
      return `platform:${actor.account_sid ?? actor.service_provider_sid ?? ''}`
  }
}

/** Counts every request of this scope by address. Returns an `authenticate` function that also counts by caller. */
export const withRateLimit = (
  app: FastifyInstance,
  { max, maxOfAddress, windowSeconds }: RateLimit,
  rates: Rates,
  authenticate: Authenticate,
): Authenticate => {
  const count = async (
    request: FastifyRequest,
    key: string,
    { max: limit, name }: { max: number; name: LimitEvent['limit'] },
  ): Promise<void> => {
    const window = await rates.hit(key, windowSeconds * 1000)
    const seconds = Math.ceil(window.milliseconds / 1000)
    const isExceeded = window.count > limit
    request.rateHeaders = {
      'ratelimit-policy': `${limit};w=${windowSeconds}`,
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.max(0, limit - window.count),
      'ratelimit-reset': seconds,
      ...(isExceeded ? { 'retry-after': seconds } : {}),
    }
    if (!isExceeded) return
    limitEvents.publish({ limit: name })
    throw new ApiError('too_many_requests')
  }
  const addressLimit = { max: maxOfAddress, name: 'address_rate' } as const
  const callerLimit = { max, name: 'caller_rate' } as const
  app.decorateRequest('rateHeaders')
  app.addHook('onRequest', (request) => count(request, `address:${toClientNetwork(request.ip)}`, addressLimit))
  app.addHook('onSend', async (request, reply) => {
    void reply.headers(request.rateHeaders ?? {})
  })
  return async (request) => {
    const authenticated = await authenticate(request)
    await count(request, getCallerKey(authenticated.actor, authenticated.token), callerLimit)
    return authenticated
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Rate limit headers of the response. They describe the caller's limit if the caller is known, or else that of the
     * address.
     */
    rateHeaders?: Readonly<Record<string, string | number>>
  }
}

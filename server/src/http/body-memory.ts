import { Transform } from 'node:stream'
import { ApiError } from '@patchbay/contract/api/errors'
import type { preParsingHookHandler } from 'fastify'
import { createBudget } from '../lib/memory-budget.ts'

/** Maximum bytes of all bodies that are received and processed concurrently. */
const maxBytes = 24 * 1024 * 1024

/**
 * Creates a hook that lets bodies of unauthenticated clients share a memory budget, because they are kept until their
 * signature has been verified. A request reserves memory as its bytes arrive, so a slow client reserves only what it
 * has sent. A request that does not fit gets 503.
 */
export const limitBodyMemory = (): preParsingHookHandler => {
  const claim = createBudget(maxBytes)
  return (_request, reply, payload, done) => {
    const { take, release } = claim()
    reply.raw.once('close', release)
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        if (take(chunk.length)) next(null, chunk)
        else next(new ApiError('server_busy'))
      },
    })
    payload.on('error', (error) => counted.destroy(error))
    done(null, payload.pipe(counted))
  }
}

import { FakeStripeError, type Json, refuse } from './http.ts'

/** Idempotency keys (docs.stripe.com/api/idempotent_requests). */

export interface StripeAnswer {
  status: number
  body: Json
}

interface StoredAnswer {
  fingerprint: string
  /** Seconds since the Unix epoch. */
  createdAt: number
  answer: StripeAnswer
}

const keyLifetimeSeconds = 24 * 3600
const maxKeyLength = 255

/** Returns whether an endpoint was executed. Responses to invalid and conflicting requests are not stored. */
const wasExecuted = ({ status }: StripeAnswer): boolean => status < 400 || status === 402 || status >= 500

/**
 * Stores the first response for each idempotency key for 24 hours. Requests with the same key get the same response,
 * whatever it was.
 */
export const createIdempotencyStore = () => {
  const stored = new Map<string, StoredAnswer>()
  return {
    /**
     * Returns the stored response, or executes the request and stores its response.
     *
     * @param fingerprint identifies endpoint and parameters of the request
     * @param now seconds since the Unix epoch
     * @throws FakeStripeError if the key is too long, or was used with other parameters
     */
    answerOnce(key: string, fingerprint: string, now: number, execute: () => StripeAnswer): StripeAnswer {
      if (key.length > maxKeyLength) refuse(`Idempotency keys can have up to ${maxKeyLength} characters.`)
      const first = stored.get(key)
      if (first && now - first.createdAt < keyLifetimeSeconds) {
        if (first.fingerprint === fingerprint) return first.answer
        throw new FakeStripeError(400, {
          type: 'idempotency_error',
          message: `Keys for idempotent requests can only be used with the same parameters they were first used with.`,
        })
      }
      const answer = execute()
      if (wasExecuted(answer)) stored.set(key, { fingerprint, createdAt: now, answer })
      return answer
    },
  }
}

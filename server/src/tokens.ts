import { type TokenClaims, tokenClaims } from '@patchbay/contract/sessions'
import { errors, jwtVerify, SignJWT } from 'jose'
import { randomUUID } from 'node:crypto'

/** The signed token of a session: HS256, as the platform's other components read it (api/1-identity.md §2.2). */
export interface Tokens {
  /** expiresAt: epoch milliseconds */
  issue(claims: TokenClaims): Promise<{ token: string; expiresAt: number }>
  /** The claims; 'expired' for one of ours that has run out; undefined for what is no token of ours. */
  verify(token: string): Promise<TokenClaims | 'expired' | undefined>
}

/** Tokens whose signature has been looked at, with what they say. */
const mostKnown = 10_000

interface Known {
  claims: TokenClaims
  /** epoch seconds */
  expiresAt: number
}

export const createTokens = (secret: string, seconds: number, now: () => number = Date.now): Tokens => {
  const key = new TextEncoder().encode(secret)
  const known = new Map<string, Known>()

  const read = async (token: string): Promise<Known | 'expired' | undefined> => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: new Date(now()) })
      const claims = tokenClaims.safeParse(payload).data
      if (claims === undefined) return undefined
      const seen = { claims, expiresAt: payload.exp ?? Number.POSITIVE_INFINITY }
      if (known.size >= mostKnown) known.clear()
      known.set(token, seen)
      return seen
    } catch (error) {
      return error instanceof errors.JWTExpired ? 'expired' : undefined
    }
  }

  return {
    async issue(claims) {
      const issuedAt = Math.floor(now() / 1000)
      const expiresAt = issuedAt + seconds
      const token = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        // Two sign-ins of one second would else give the same token, and ending one would end both.
        .setJti(randomUUID())
        .sign(key)
      return { token, expiresAt: expiresAt * 1000 }
    },
    async verify(token) {
      // What was signed once stays so, and checking it costs more than all else that a small request does.
      const seen = known.get(token) ?? (await read(token))
      if (seen === undefined || seen === 'expired') return seen
      return seen.expiresAt > now() / 1000 ? seen.claims : 'expired'
    },
  }
}

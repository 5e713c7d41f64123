import { type SignedClaims, signedClaims, type TokenClaims } from '@patchbay/contract/sessions'
import { errors, jwtVerify, SignJWT } from 'jose'
import { createHmac, randomUUID } from 'node:crypto'

/** The signed token of a session: HS256, as the platform's other components read it (api/1-identity.md §2.2). */
export interface Tokens {
  /**
   * A token of so many seconds, or of what the session has left. `signedInAt`, epoch seconds: where the session goes
   * on. undefined: it has lasted as long as it may. expiresAt: epoch milliseconds
   */
  issue(claims: TokenClaims, signedInAt?: number): Promise<{ token: string; expiresAt: number } | undefined>
  /** What was signed; 'expired' where it has run out; undefined for what was not signed with this secret. */
  verify(token: string): Promise<Verified | 'expired' | undefined>
}

export interface Verified {
  claims: SignedClaims
  /** epoch seconds; infinite for a token without an end */
  expiresAt: number
  /** when the user signed in, epoch seconds */
  signedInAt: number
}

export interface TokenLife {
  /** of one token */
  sessionSeconds: number
  /** of a session, however often it is renewed */
  longestSessionSeconds: number
}

/** Tokens whose signature has been looked at, with what they say. */
const maxCachedTokens = 10_000

export const createTokens = (secret: string, life: TokenLife, now: () => number = Date.now): Tokens => {
  const key = new TextEncoder().encode(secret)
  const known = new Map<string, Verified>()

  const read = async (token: string): Promise<Verified | 'expired' | undefined> => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: new Date(now()) })
      const claims = signedClaims.safeParse(payload).data
      if (claims === undefined) return undefined
      const { exp = Number.POSITIVE_INFINITY, iat = now() / 1000 } = payload
      const seen = { claims, expiresAt: exp, signedInAt: claims.auth_time ?? iat }
      if (known.size >= maxCachedTokens) known.clear()
      known.set(token, seen)
      return seen
    } catch (error) {
      return error instanceof errors.JWTExpired ? 'expired' : undefined
    }
  }

  return {
    async issue(claims, signedInAt) {
      const issuedAt = Math.floor(now() / 1000)
      const auth_time = signedInAt ?? issuedAt
      const expiresAt = Math.min(issuedAt + life.sessionSeconds, auth_time + life.longestSessionSeconds)
      if (expiresAt <= issuedAt) return undefined
      const token = await new SignJWT({ ...claims, auth_time })
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
      return seen.expiresAt > now() / 1000 ? seen : 'expired'
    },
  }
}

export const linkSeconds = 3600

/**
 * Tokens of reset links, signed with a key of their own: the platform's other components, which know nothing of them,
 * would take one for a session.
 */
export const createLinkTokens = (secret: string, now?: () => number): Tokens =>
  createTokens(
    createHmac('sha256', secret).update('patchbay reset links').digest('base64url'),
    { sessionSeconds: linkSeconds, longestSessionSeconds: linkSeconds },
    now,
  )

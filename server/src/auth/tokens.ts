import { createHmac, randomUUID } from 'node:crypto'
import { type SignedClaims, signedClaims, type TokenClaims } from '@patchbay/contract/sessions'
import { errors, jwtVerify, SignJWT } from 'jose'

/**
 * Issues and verifies session tokens: HS256, in the format that the components of jambonz read
 * (docs/reference/platform-api/identity.md#session-tokens).
 */
export interface Tokens {
  /**
   * Issues a token that is valid for `sessionSeconds`, or for the remainder of the session if that is shorter. Returns
   * undefined if the session has reached its maximum duration. `expiresAt` is in epoch milliseconds.
   * @param signedInAt start of the session to continue, in epoch seconds
   */
  issue(claims: TokenClaims, signedInAt?: number): Promise<{ token: string; expiresAt: number } | undefined>
  /** Returns the claims, or 'expired' if the token has expired, or undefined if it was not signed with this secret. */
  verify(token: string): Promise<Verified | 'expired' | undefined>
}

export interface Verified {
  claims: SignedClaims
  /** Epoch seconds. Infinity for a token that never expires. */
  expiresAt: number
  /** Time of the sign-in, in epoch seconds. */
  signedInAt: number
}

export interface TokenLife {
  /** Lifetime of a token. */
  sessionSeconds: number
  /** Maximum duration of a session, however often its token is renewed. */
  longestSessionSeconds: number
}

/** Maximum number of verified tokens in memory, with their claims. */
const maxCachedTokens = 10_000

/** Three parts in base64url (RFC 7515, 7.1). */
const compactSerialization = /^[\w-]+\.[\w-]+\.[\w-]+$/

export const createTokens = (secret: string, life: TokenLife, now: () => number = Date.now): Tokens => {
  const key = new TextEncoder().encode(secret)
  const verifiedTokens = new Map<string, Verified>()

  const verifySignature = async (token: string): Promise<Verified | 'expired' | undefined> => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: new Date(now()) })
      const claims = signedClaims.safeParse(payload).data
      if (claims === undefined) return undefined
      const { exp = Number.POSITIVE_INFINITY, iat = now() / 1000 } = payload
      const verified = { claims, expiresAt: exp, signedInAt: claims.auth_time ?? iat }
      if (verifiedTokens.size >= maxCachedTokens) verifiedTokens.clear()
      verifiedTokens.set(token, verified)
      return verified
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
        // Without a unique ID, two sign-ins in the same second would get the same token, and ending one would end both.
        .setJti(randomUUID())
        .sign(key)
      return { token, expiresAt: expiresAt * 1000 }
    },
    async verify(token) {
      // API keys arrive here too. Rejecting one with an error of the library takes a twentieth of a small request.
      if (!compactSerialization.test(token)) return undefined
      // A valid signature stays valid, and verifying it costs more than the rest of a small request.
      const verified = verifiedTokens.get(token) ?? (await verifySignature(token))
      if (verified === undefined || verified === 'expired') return verified
      return verified.expiresAt > now() / 1000 ? verified : 'expired'
    },
  }
}

export const linkSeconds = 3600

/**
 * Creates tokens for reset links. They are signed with a separate key, because the other components of jambonz would
 * accept one as a session token.
 */
export const createLinkTokens = (secret: string, now?: () => number): Tokens =>
  createTokens(
    createHmac('sha256', secret).update('patchbay reset links').digest('base64url'),
    { sessionSeconds: linkSeconds, longestSessionSeconds: linkSeconds },
    now,
  )

import type { Actor } from '@patchbay/contract/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { clearStored, stored, tokenKey } from './storage.ts'

/** Who is signed in, read from the token in storage; a token that cannot be read is no session. */

export interface Session {
  token: string
  claims: TokenClaims
  actor: Actor
  /** epoch milliseconds */
  issuedAt: number
  expiresAt: number
}

const decoded = (token: string): (TokenClaims & { iat: number; exp: number }) | undefined => {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    // The server made the token and checks it on every call; here it is only shown.
    return typeof claims === 'object' && claims !== null && 'scope' in claims && 'user_sid' in claims
      ? (claims as TokenClaims & { iat: number; exp: number })
      : undefined
  } catch {
    return undefined
  }
}

const read = (): Session | undefined => {
  const token = stored.token.read()
  const claims = token ? decoded(token) : undefined
  if (!token || claims === undefined) return undefined
  const actor: Actor = {
    token: 'user',
    scope: claims.scope,
    user_sid: claims.user_sid,
    account_sid: claims.account_sid ?? null,
    service_provider_sid: claims.service_provider_sid ?? null,
    is_view_only: claims.is_view_only,
    must_change_password: false,
  }
  return { token, claims, actor, issuedAt: claims.iat * 1000, expiresAt: claims.exp * 1000 }
}

let cached: { token: string | null; session: Session | undefined } | undefined

export const currentSession = (): Session | undefined => {
  const token = stored.token.read()
  if (cached?.token !== token) cached = { token, session: read() }
  return cached?.session
}

/** The session of a screen behind the guard, where there always is one. */
export const requiredSession = (): Session => {
  const session = currentSession()
  if (session === undefined) throw new Error('no session')
  return session
}

export const startSession = (token: string): void => stored.token.write(token)

/** Texts that the sign-in screen shows once. */
export const flashes = {
  expired: 'Your session has expired. Please log in and try again.',
  notSignedIn: 'You must log in to view that page',
  signedOut: "You've successfully logged out.",
  unreachable: 'The server cannot be reached',
} as const

/** Ends the session here; `flash` is shown on the sign-in screen. Further calls while it ends change nothing. */
export const endSession = (flash?: string): void => {
  const hadSession = stored.token.read() !== null
  clearStored()
  if (flash !== undefined) stored.flash.write(flash)
  if (hadSession || flash !== undefined) for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

/** Told when the session ends, here or in another tab. */
export const onSessionEnd = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

window.addEventListener('storage', ({ key, newValue }) => {
  if ((key === tokenKey || key === null) && newValue === null) for (const listener of listeners) listener()
})

/** The text left for the sign-in screen, taken away as it is read. */
export const takeFlash = (): string | null => {
  const text = stored.flash.read()
  stored.flash.clear()
  return text
}

import type { Actor } from '@patchbay/contract/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { clearStored, stored, tokenKey } from './storage.ts'

/** The current session, read from the stored token. A token that cannot be parsed counts as no session. */

/** Tokens of the platform's other ways to sign in lack the one claim. */
type Claims = Omit<TokenClaims, 'is_view_only'> & { is_view_only?: boolean; iat: number; exp: number }

export interface Session {
  token: string
  claims: Claims
  actor: Actor
  /** epoch milliseconds */
  issuedAt: number
  expiresAt: number
}

const decoded = (token: string): Claims | undefined => {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    // The server made the token and checks it on every call; here it is only shown.
    return typeof claims === 'object' && claims !== null && 'scope' in claims && 'user_sid' in claims
      ? (claims as Claims)
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
    is_view_only: claims.is_view_only ?? false,
    must_change_password: false,
  }
  return { token, claims, actor, issuedAt: claims.iat * 1000, expiresAt: claims.exp * 1000 }
}

let cached: { token: string | null; session: Session | undefined } | undefined
let last: Session | undefined

export const currentSession = (): Session | undefined => {
  const token = stored.token.read()
  if (cached?.token !== token) cached = { token, session: read() }
  last = cached?.session ?? last
  return cached?.session
}

/** The session of a screen behind the guard; while a screen is left since it ended, the one that was. */
export const requiredSession = (): Session => {
  const session = currentSession() ?? last
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

/** Tells listeners whether the user ended the session or may want to continue it. */
type Ending = 'wanted' | 'unwanted'

/** Ends the session here; `flash` is shown on the sign-in screen. Further calls while it ends change nothing. */
export const endSession = (flash?: string): void => {
  const hadSession = stored.token.read() !== null
  clearStored()
  if (flash !== undefined) stored.flash.write(flash)
  const ending = flash === flashes.expired || flash === flashes.unreachable ? 'unwanted' : 'wanted'
  if (hadSession || flash !== undefined) for (const listener of listeners) listener(ending)
}

const listeners = new Set<(ending: Ending) => void>()

/** Told when the session ends, here or in another tab. */
export const onSessionEnd = (listener: (ending: Ending) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The old password and whose it is wait only while the one page is open that needs them; then it is signed in anew. */
export const forgetForcedChange = (): void => {
  if (stored.oldPassword.read() === null) return
  endSession()
}

window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== tokenKey && key !== null) return
  const changing = stored.oldPassword.read() !== null
  // Values that all tabs share belong to the user who signed in last.
  stored.oldPassword.clear()
  stored.userSid.clear()
  if (newValue === null || changing) for (const listener of listeners) listener(changing ? 'wanted' : 'unwanted')
})

// A page that is loaded anew, or left for another site, starts without it.
window.addEventListener('pagehide', forgetForcedChange)
forgetForcedChange()

/** Returns the message for the sign-in screen and removes it. */
export const takeFlash = (): string | null => {
  const text = stored.flash.read()
  stored.flash.clear()
  return text
}

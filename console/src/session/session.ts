import type { Actor } from '@patchbay/contract/api/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { clearStored, stored, tokenKey } from './storage.ts'

/** The current session, read from the stored token. A token that cannot be parsed counts as no session. */

/** Tokens of `/signin` and `/register` lack `is_view_only`. */
type Claims = Omit<TokenClaims, 'is_view_only'> & { is_view_only?: boolean; iat: number; exp: number }

export interface Session {
  token: string
  claims: Claims
  actor: Actor
  /** Milliseconds since the Unix epoch, as is `expiresAt`. */
  issuedAt: number
  expiresAt: number
}

const decoded = (token: string): Claims | undefined => {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    // The cast is safe because the server created the token. The server verifies it with every request.
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

/** Returns the current session, or undefined if no user is signed in. */
export const currentSession = (): Session | undefined => {
  const token = stored.token.read()
  if (cached?.token !== token) cached = { token, session: read() }
  last = cached?.session ?? last
  return cached?.session
}

/**
 * Returns the session on a screen that requires one. While a screen is unmounted after the end of its session, returns
 * the ended session.
 * @throws Error if there has been no session
 */
export const requiredSession = (): Session => {
  const session = currentSession() ?? last
  if (session === undefined) throw new Error('no session')
  return session
}

/** Starts a session, or continues it with a new token. */
export const startSession = (token: string): void => stored.token.write(token)

/** Texts that the sign-in screen shows once. */
export const flashes = {
  expired: 'Your session has expired. Please log in and try again.',
  notSignedIn: 'You must log in to view that page',
  signedOut: "You've successfully logged out.",
  unreachable: 'The server cannot be reached',
} as const

/**
 * Tells listeners whether the user ended the session or may want to continue it. `password-change` means that the
 * session continues after the user has changed the password.
 */
type Ending = 'wanted' | 'unwanted' | 'password-change'

/**
 * Ends the session in the browser. Has no effect on the sign-in page if the session has ended before, which happens if
 * several requests fail one after another.
 * @param flash message that the sign-in screen shows once
 */
export const endSession = (flash?: string): void => {
  const hadSession = stored.token.read() !== null
  if (!hadSession && window.location.pathname === '/') return
  clearStored()
  if (flash !== undefined) stored.flash.write(flash)
  const ending = flash === undefined || flash === flashes.signedOut ? 'wanted' : 'unwanted'
  if (hadSession || flash !== undefined) for (const listener of listeners) listener(ending)
}

const listeners = new Set<(ending: Ending) => void>()

/** Calls `listener` when the session ends, in this tab or another one. Returns a function that removes the listener. */
export const onSessionEnd = (listener: (ending: Ending) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Leads a user to the screen that changes the password, because the server rejects everything else until then. Happens
 * in a second tab, and if an administrator demands the change during a session.
 */
export const requirePasswordChange = (): void => {
  const session = currentSession()
  if (session === undefined || stored.oldPassword.read() !== null) return
  stored.userSid.write(session.claims.user_sid)
  stored.oldPassword.write(unknownPassword)
  // Without storage, the screen for the change would lead back to this one.
  if (stored.oldPassword.read() !== null) for (const listener of listeners) listener('password-change')
}

/** Takes the place of an old password that this tab does not know and the user has to enter. */
export const unknownPassword = ''

/** Returns the old password, which is stored during a forced change, and forgets it. */
const takeOldPassword = (): string | null => {
  const oldPassword = stored.oldPassword.read()
  stored.oldPassword.clear()
  stored.userSid.clear()
  return oldPassword
}

/** Ends a forced change. Where the old password is not known, the session may belong to another tab, and continues. */
const endForcedChange = (end: () => void): void => {
  // An unknown password is empty.
  if (!takeOldPassword()) return
  end()
  stored.flash.write('Log in again to change your password.')
}

/**
 * Ends the session of a user who must change the password. The old password is kept only while the page for the change
 * is open.
 */
export const forgetForcedChange = (): void => endForcedChange(endSession)

window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== tokenKey && key !== null) return
  // Values that all tabs share belong to the user who signed in last.
  const changing = takeOldPassword() !== null
  if (newValue === null || changing) for (const listener of listeners) listener(changing ? 'wanted' : 'unwanted')
})

// A page that is reloaded or left requires a new sign-in. Listeners do not run, because they would take the message for
// the sign-in screen while the page is going away.
window.addEventListener('pagehide', () => endForcedChange(clearStored))
forgetForcedChange()

/** Returns the message for the sign-in screen and removes it. */
export const takeFlash = (): string | null => {
  const text = stored.flash.read()
  stored.flash.clear()
  return text
}

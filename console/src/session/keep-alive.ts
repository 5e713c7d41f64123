import { api } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { currentSession, endSession, flashes, startSession } from './session.ts'

/** Renews the session of an active user after half of its lifetime, and ends it when the user signs out. */

const checkEveryMs = 60_000
const activeWithinMs = 10 * 60_000

let lastActive = Date.now()
let lastTried = 0

const renewWhenDue = async (): Promise<void> => {
  const session = currentSession()
  if (session === undefined || Date.now() - lastActive > activeWithinMs) return
  if (Date.now() < (session.issuedAt + session.expiresAt) / 2 || document.hidden) return
  if (Date.now() - lastTried < checkEveryMs) return
  lastTried = Date.now()
  try {
    // A session that is too old to be renewed continues until it expires.
    const { token } = await api('POST /patchbay/session', {}, { background: true, ownFailures: true })
    // A newer session, from this tab or another one, is not replaced.
    if (currentSession()?.token === session.token) startSession(token)
  } catch {
    // If the session has ended, the next request of the user reports it.
  }
}

/** Renews the session while the user is active. Returns a function that stops this. */
export const keepSessionAlive = (): (() => void) => {
  if (!config().extensions.has('session-renewal')) return () => {}
  const active = () => {
    lastActive = Date.now()
    void renewWhenDue()
  }
  const events = ['pointerdown', 'keydown'] as const
  for (const event of events) window.addEventListener(event, active, { passive: true })
  const timer = window.setInterval(() => void renewWhenDue(), checkEveryMs)
  return () => {
    window.clearInterval(timer)
    for (const event of events) window.removeEventListener(event, active)
  }
}

/**
 * Signs out on the server, and in the browser even if that fails. Listeners of the session's end open the sign-in
 * screen.
 */
export const signOut = async (): Promise<void> => {
  try {
    await api('POST /logout', {}, { ownFailures: true })
    endSession(flashes.signedOut)
  } catch {
    endSession()
  }
}

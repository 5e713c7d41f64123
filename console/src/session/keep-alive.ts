import { api } from '../api/client.ts'
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
    // A session that is too old, or of a server without renewal, continues until it expires.
    const { token } = await api('POST /patchbay/session', {}, { background: true, ownFailures: true })
    // A newer session, from this tab or another one, is not replaced.
    if (currentSession()?.token === session.token) startSession(token)
  } catch {
    // If the session has ended, the next request of the user reports it.
  }
}

/** Renews the session while the user is active. */
export const keepSessionAlive = (): void => {
  const active = () => {
    lastActive = Date.now()
    void renewWhenDue()
  }
  for (const event of ['pointerdown', 'keydown']) window.addEventListener(event, active, { passive: true })
  window.setInterval(() => void renewWhenDue(), checkEveryMs)
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

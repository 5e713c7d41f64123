import { api } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { currentSession, endSession, flashes, startSession } from './session.ts'

/** A session is renewed while its user is active, once half of its life is over; and ended where its user says so. */

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
    // The next call of the user tells, if the session has really ended.
  }
}

/** Answers how to stop. */
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

/** Signs out on the server, and locally even if that fails. Listeners of the session's end open the sign-in screen. */
export const signOut = async (): Promise<void> => {
  try {
    await api('POST /logout', {}, { ownFailures: true })
    endSession(flashes.signedOut)
  } catch {
    endSession()
  }
}

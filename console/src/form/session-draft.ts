import { currentSession } from '../session/session.ts'

/** What stood in a form when a session ended unasked; it lives in memory only, and only for the one who typed it. */

interface Draft {
  href: string
  user_sid: string
  values: unknown
}

let draft: Draft | undefined

const here = () => window.location.pathname

export const keepDraft = (user_sid: string, values: unknown): void => {
  draft = { href: here(), user_sid, values }
}

/** What was typed at this address before its author had to sign in again; once. */
export const takeDraft = (): unknown => {
  const found = draft
  if (found === undefined || found.href !== here()) return undefined
  draft = undefined
  return found.user_sid === currentSession()?.claims.user_sid ? found.values : undefined
}

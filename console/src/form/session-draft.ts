import { currentSession } from '../session/session.ts'

/** The content of a form when the session expired. It stays in memory only, and only for the user who typed it. */

interface Draft {
  href: string
  user_sid: string
  values: unknown
}

let draft: Draft | undefined

const here = () => window.location.pathname

/**
 * Keeps the values of a form for a user whose session has expired, or who continues in another form.
 * @param href the path of the form that takes the values. Default: the current page
 */
export const keepDraft = (user_sid: string, values: unknown, href: string = here()): void => {
  draft = { href, user_sid, values }
}

/** Returns the draft of a form after the user has signed in again. Each draft is returned once. */
export const takeDraft = (): unknown => {
  const currentDraft = draft
  if (currentDraft === undefined || currentDraft.href !== here()) return undefined
  draft = undefined
  return currentDraft.user_sid === currentSession()?.claims.user_sid ? currentDraft.values : undefined
}

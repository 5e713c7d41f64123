import { notFound, redirect } from '@tanstack/react-router'
import { config } from '../api/configuration.ts'
import { toaster } from '../feedback/toaster.ts'
import { createPassword } from '../routes/create-password.ts'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { signIn } from '../routes/sign-in.ts'
import { startPath } from '../screen/links.tsx'
import { currentSession, flashes, requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'

/** Route guards. The server enforces access; these only save the user a screen that cannot load. */

export const requireFeature = ({ featureFlag }: Screen): void => {
  if (featureFlag !== undefined && !config().switches.has(featureFlag)) throw notFound()
}

const isForced = (): boolean => stored.oldPassword.read() !== null

export const requireSession = (href: string): void => {
  if (currentSession() === undefined) {
    // When a session has just ended, the reason is already in the flash message.
    if (stored.flash.read() === null) stored.flash.write(flashes.notSignedIn)
    throw redirect({ to: signIn.path, search: { next: href } })
  }
  if (isForced()) throw redirect({ to: createPassword.path })
}

/** Signed-in users are redirected to the start screen, unless they sign in `again` before their session ends. */
export const requireVisitor = ({ again }: { again?: unknown }): void => {
  if (currentSession() === undefined || again) return
  throw redirect({ to: isForced() ? createPassword.path : startPath })
}

/** Without the old password there is nothing that could be changed. */
export const requireForcedChange = (href: string): void => {
  if (currentSession() === undefined) return requireSession(href)
  if (!isForced()) throw redirect({ to: startPath })
}

const deny = (text: string, to = startPath): never => {
  toaster.failure(text)
  throw redirect({ to })
}

export const requireAccess = (screen: Screen, params: Readonly<Record<string, string>>): void => {
  const { actor } = requiredSession()
  if (!canOpen(screen, actor)) deny(screen.deniedMessage ?? 'You do not have access.', screen.redirectTo)
  const isForeign = screen.ownAccount && actor.scope === 'account' && actor.account_sid !== params['account_sid']
  if (isForeign) deny('You do not have access to this resource')
}

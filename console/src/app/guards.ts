import { isAtLeast, type Scope } from '@patchbay/contract/access'
import { redirect } from '@tanstack/react-router'
import { currentSession, flashes, requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { paths } from './paths.ts'
import { toaster } from './toaster.ts'

/** Who may open what. The server decides; these save the visit. */

/** The place where work starts: the accounts, or for account users their own account. */
export const startPage = () => {
  const { actor } = requiredSession()
  return actor.scope === 'account' && actor.account_sid
    ? ({ to: paths.editAccount, params: { account_sid: actor.account_sid } } as const)
    : ({ to: paths.accounts } as const)
}

export const requireSession = (href: string): void => {
  if (currentSession() === undefined) {
    // Where a session has just ended, the reason is already said.
    if (stored.flash.read() === null) stored.flash.write(flashes.notSignedIn)
    throw redirect({ to: paths.signIn, search: { next: href } })
  }
  if (stored.oldPassword.read() !== null) throw redirect({ to: paths.createPassword })
}

export const requireScope = (least: Scope, refusal = 'You do not have access.'): void => {
  if (isAtLeast(requiredSession().actor.scope, least)) return
  toaster.failure(refusal)
  throw redirect(startPage())
}

/** Account users have one account; any other is not theirs to open. */
export const requireOwnAccount = (account_sid: string): void => {
  const { actor } = requiredSession()
  if (actor.scope !== 'account' || actor.account_sid === account_sid) return
  toaster.failure('You do not have access to this resource')
  throw redirect(startPage())
}

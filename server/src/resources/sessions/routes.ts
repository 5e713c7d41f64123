import { refuse } from '@patchbay/contract/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import type { Services } from '../../app.ts'
import { done, ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import { verifyPassword } from '../../passwords.ts'
import { createSignInAttempts } from './sign-in-attempts.ts'
import { claimsOf, findByName, findBySid, permissionsOf, type SignInUser } from './store.ts'

export const sessionRoutes = ({
  database,
  tokens,
  sessions,
  counters,
  configuration,
}: Services): Handlers<keyof typeof sessionEndpoints> => {
  const attempts = createSignInAttempts(counters, configuration.signIn)

  const startSession = async (user: SignInUser) => {
    const claims = claimsOf(user, await permissionsOf(database, user.user_sid))
    const { token, expiresAt } = await tokens.issue(claims)
    await sessions.start(token, user.user_sid, expiresAt)
    return { token, claims }
  }

  return {
    'POST /login': async ({ body: { username, password }, address }) => {
      await attempts.begin(username, address)
      const found = await findByName(database, username)
      const user = found?.provider === 'local' ? found : undefined
      const matches = await verifyPassword(user?.hashed_password ?? null, password)
      if (user === undefined || !matches) return attempts.failed(username, address)
      await attempts.succeeded(username)
      // Only one who knows the password learns nothing more from this than the refusal itself.
      if (user.is_active !== 1 || user.account_is_active === 0) return refuse('sign_in_refused')
      const { token, claims } = await startSession(user)
      const { name: _name, is_view_only: _viewOnly, ...shown } = claims
      return ok({ ...shown, token, force_change: user.force_change === 1 })
    },

    'POST /logout': async ({ actor }) => {
      await sessions.endAll(actor.user_sid ?? refuse('forbidden'))
      return done
    },

    'POST /patchbay/session': async ({ actor, token: old }) => {
      const user_sid = actor.user_sid ?? refuse('forbidden')
      const user = (await findBySid(database, user_sid)) ?? refuse('unauthorized')
      const { token } = await startSession(user)
      await sessions.end(old, user_sid)
      return ok({ token })
    },
  }
}

import { refuse } from '@patchbay/contract/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import { done, ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Asker } from '../../passwords.ts'
import type { Services } from '../../services.ts'
import { mayAct } from '../../stores/principals.ts'
import { claimsOf, findByName, findBySid, permissionsOf, replaceHash, type SignInUser } from './store.ts'

export const sessionRoutes = ({
  database,
  tokens,
  sessions,
  passwords,
  passwordAttempts,
}: Services): Handlers<keyof typeof sessionEndpoints> => {
  /** undefined: the session that began then has lasted as long as it may */
  const newToken = async (user: SignInUser, signedInAt?: number) => {
    const claims = claimsOf(user, await permissionsOf(database, user.user_sid))
    const issued = await tokens.issue(claims, signedInAt)
    return issued && { claims, ...issued }
  }

  /** Hashes of the platform cost more or less than ours, and the time would tell who has which. */
  const renewHash = async ({ user_sid, hashed_password }: SignInUser, password: string, asker: Asker) => {
    if (hashed_password === null || passwords.isOurs(hashed_password)) return
    await replaceHash(database, user_sid, hashed_password, await passwords.hash(password, asker))
  }

  return {
    'POST /login': async ({ body: { username, password }, address, gone }) => {
      const find = async () => {
        const found = await findByName(database, username)
        return found?.provider === 'local' ? found : undefined
      }
      const user = await passwordAttempts.judge({ find, name: username, password, address, gone })
      // Only one who knows the password learns nothing more from this than the refusal itself.
      if (user === undefined || !mayAct(user)) return refuse('sign_in_refused')
      await renewHash(user, password, { owner: address, gone })
      const { token, expiresAt, claims } = (await newToken(user)) ?? refuse('unauthorized')
      await sessions.start(token, user.user_sid, expiresAt)
      const { name: _name, is_view_only: _viewOnly, ...shown } = claims
      return ok({ ...shown, token, force_change: user.force_change === 1 })
    },

    'POST /logout': async ({ actor }) => {
      await sessions.endAll(actor.user_sid ?? refuse('forbidden'), {})
      return done
    },

    'POST /patchbay/session': async ({ actor, token: old }) => {
      const user_sid = actor.user_sid ?? refuse('forbidden')
      const user = (await findBySid(database, user_sid)) ?? refuse('unauthorized')
      const verified = await tokens.verify(old)
      if (typeof verified !== 'object') return refuse('unauthorized')
      const { token, expiresAt } = (await newToken(user, verified.signedInAt)) ?? refuse('unauthorized')
      if (!(await sessions.renew(old, token, user_sid, expiresAt))) return refuse('unauthorized')
      return ok({ token })
    },
  }
}

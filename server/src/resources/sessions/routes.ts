import { Refused, refuse } from '@patchbay/contract/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import { done, ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Asker } from '../../passwords.ts'
import type { Services } from '../../services.ts'
import { doneBy } from '../../stores/audit-trail.ts'
import { mayAct } from '../../stores/principals.ts'
import { signingIn } from '../../stores/sign-ins.ts'
import { claimsOf, findByName, findBySid, permissionsOf, replaceHash, type SignInUser } from './store.ts'

const reasonOf = ({ code, body }: Refused): string =>
  code === 'sign_in_refused' ? 'Login credentials are incorrect' : body.msg

export const sessionRoutes = ({
  database,
  tokens,
  sessions,
  passwords,
  passwordAttempts,
  trail,
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
    'POST /login': async ({ body: { username, password }, address, request_id, signal }) => {
      let found: SignInUser | undefined
      const find = async () => {
        const named = await findByName(database, username)
        found = named?.provider === 'local' ? named : undefined
        return found
      }
      const judged = async () => {
        const user = await passwordAttempts.judge({ find, name: username, password, address, signal })
        // Only one who knows the password learns nothing more from this than the refusal itself.
        return user !== undefined && mayAct(user) ? user : refuse('sign_in_refused')
      }
      const user = await judged().catch((error: unknown) => {
        if (error instanceof Refused && error.status === 403)
          trail.note({ ...signingIn('refused', found, { address, request_id }), reason: reasonOf(error) })
        throw error
      })
      await renewHash(user, password, { owner: address, signal })
      const { token, expiresAt, claims } = (await newToken(user)) ?? refuse('unauthorized')
      await sessions.start(token, user.user_sid, expiresAt)
      trail.note(signingIn('sign_in', user, { address, request_id }))
      const { name: _name, is_view_only: _viewOnly, ...shown } = claims
      return ok({ ...shown, token, force_change: user.force_change === 1 })
    },

    'POST /logout': async ({ actor }) => {
      const user_sid = actor.user_sid ?? refuse('forbidden')
      await sessions.endAll(user_sid, {})
      const thing = { action: 'sign_out', kind: 'session', sid: user_sid, name: actor.name } as const
      trail.note({ ...thing, ...doneBy(actor), reason: null })
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

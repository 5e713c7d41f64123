import { ApiError, throwApiError } from '@patchbay/contract/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import { noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { HashRequester } from '../../auth/password-hashing.ts'
import type { Services } from '../services.ts'
import { auditActor } from '../../database/audit-trail.ts'
import { isAllowedToAct } from '../../auth/principals.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import { toTokenClaims, findByName, findBySid, findPermissions, replaceHash, type SignInUser } from './store.ts'

const reasonOf = ({ code, body }: ApiError): string =>
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
    const claims = toTokenClaims(user, await findPermissions(database, user.user_sid))
    const issued = await tokens.issue(claims, signedInAt)
    return issued && { claims, ...issued }
  }

  /** Hashes of the platform cost more or less than ours, and the time would tell who has which. */
  const renewHash = async ({ user_sid, hashed_password }: SignInUser, password: string, asker: HashRequester) => {
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
        const user = await passwordAttempts.verify({ find, name: username, password, address, signal })
        // Only one who knows the password learns nothing more from this than the refusal itself.
        return user !== undefined && isAllowedToAct(user) ? user : throwApiError('sign_in_refused')
      }
      const user = await judged().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 403)
          trail.note({ ...signInEvent('refused', found, { address, request_id }), reason: reasonOf(error) })
        throw error
      })
      await renewHash(user, password, { owner: address, signal })
      const { token, expiresAt, claims } = (await newToken(user)) ?? throwApiError('unauthorized')
      await sessions.start(token, user.user_sid, expiresAt)
      trail.note(signInEvent('sign_in', user, { address, request_id }))
      const { name: _name, is_view_only: _viewOnly, ...shown } = claims
      return ok({ ...shown, token, force_change: user.force_change === 1 })
    },

    'POST /logout': async ({ actor }) => {
      const user_sid = actor.user_sid ?? throwApiError('forbidden')
      await sessions.endAll(user_sid, {})
      const thing = { action: 'sign_out', kind: 'session', sid: user_sid, name: actor.name } as const
      trail.note({ ...thing, ...auditActor(actor), reason: null })
      return noContent
    },

    'POST /patchbay/session': async ({ actor, token: old }) => {
      const user_sid = actor.user_sid ?? throwApiError('forbidden')
      const user = (await findBySid(database, user_sid)) ?? throwApiError('unauthorized')
      const verified = await tokens.verify(old)
      if (typeof verified !== 'object') return throwApiError('unauthorized')
      const { token, expiresAt } = (await newToken(user, verified.signedInAt)) ?? throwApiError('unauthorized')
      if (!(await sessions.renew(old, token, user_sid, expiresAt))) return throwApiError('unauthorized')
      return ok({ token })
    },
  }
}

import { ApiError, throwApiError } from '@patchbay/contract/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { HashRequester } from '../../auth/password-hashing.ts'
import type { Services } from '../services.ts'
import { auditActor } from '../../database/audit-trail.ts'
import { isAllowedToAct } from '../../auth/principals.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import { toTokenClaims, findByName, findBySid, findPermissions, replaceHash, type SignInUser } from './store.ts'

const getRejectionReason = ({ code, body }: ApiError): string =>
  code === 'sign_in_refused' ? 'Login credentials are incorrect' : body.msg

export const sessionRoutes = ({
  database,
  tokens,
  sessions,
  passwords,
  passwordAttempts,
  trail,
}: Services): Handlers<keyof typeof sessionEndpoints> => {
  /** Issues a token. Returns undefined if the session has reached its maximum duration. */
  const issueToken = async (user: SignInUser, signedInAt?: number) => {
    const claims = toTokenClaims(user, await findPermissions(database, user.user_sid))
    const issued = await tokens.issue(claims, signedInAt)
    return issued && { claims, ...issued }
  }

  /**
   * Replaces a hash from jambonz with one of Patchbay. Verification times differ between the two and would reveal which
   * users have which hash.
   */
  const renewHash = async ({ user_sid, hashed_password }: SignInUser, password: string, requester: HashRequester) => {
    if (hashed_password === null || passwords.isOurs(hashed_password)) return
    await replaceHash(database, user_sid, hashed_password, await passwords.hash(password, requester))
  }

  return {
    'POST /login': async ({ body: { username, password }, address, request_id, signal }) => {
      let localUser: SignInUser | undefined
      const find = async () => {
        const named = await findByName(database, username)
        localUser = named?.provider === 'local' ? named : undefined
        return localUser
      }
      const verify = async () => {
        const user = await passwordAttempts.verify({ find, name: username, password, address, signal })
        // Only callers who know the password can notice the difference between this check and a wrong password.
        return user !== undefined && isAllowedToAct(user) ? user : throwApiError('sign_in_refused')
      }
      const user = await verify().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 403)
          trail.note({
            ...signInEvent('refused', localUser, { address, request_id }),
            reason: getRejectionReason(error),
          })
        throw error
      })
      await renewHash(user, password, { owner: address, signal })
      const { token, expiresAt, claims } = (await issueToken(user)) ?? throwApiError('unauthorized')
      await sessions.start(token, user.user_sid, expiresAt)
      trail.note(signInEvent('sign_in', user, { address, request_id }))
      const { name: _name, is_view_only: _viewOnly, ...publicClaims } = claims
      return ok({ ...publicClaims, token, force_change: user.force_change === 1 })
    },

    'POST /logout': async ({ actor }) => {
      const user_sid = actor.user_sid ?? throwApiError('forbidden')
      await sessions.endAll(user_sid, {})
      const event = { action: 'sign_out', kind: 'session', sid: user_sid, name: actor.name } as const
      trail.note({ ...event, ...auditActor(actor), reason: null })
    },

    'POST /patchbay/session': async ({ actor, token: oldToken }) => {
      const user_sid = actor.user_sid ?? throwApiError('forbidden')
      const user = (await findBySid(database, user_sid)) ?? throwApiError('unauthorized')
      const verified = await tokens.verify(oldToken)
      if (typeof verified !== 'object') return throwApiError('unauthorized')
      const { token, expiresAt } = (await issueToken(user, verified.signedInAt)) ?? throwApiError('unauthorized')
      if (!(await sessions.renew(oldToken, token, user_sid, expiresAt))) return throwApiError('unauthorized')
      return ok({ token })
    },
  }
}

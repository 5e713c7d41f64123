import { throwApiError } from '@patchbay/contract/api/errors'
import type { sessionEndpoints } from '@patchbay/contract/sessions'
import { auditActor } from '../../database/audit-trail.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createPasswordSignIn } from '../shared/password-sign-in.ts'
import { findByName, findBySid } from '../shared/sign-in-users.ts'

export const sessionRoutes = (services: Services): Handlers<keyof typeof sessionEndpoints> => {
  const { database, tokens, sessions, trail } = services
  const { issueToken, signIn } = createPasswordSignIn(services)
  return {
    'POST /login': async ({ body: { username, password }, address, request_id, signal }) => {
      const find = () => findByName(database, username)
      const attempt = { find, name: username, password, address, request_id, signal }
      const { user, token, claims } = await signIn(attempt)
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

import type { AuditEvent } from '../database/audit-trail.ts'
import { principalOfUser, toScopedOwner, type UserStatusRow } from './principals.ts'

/**
 * Creates the audit event of a sign-in or of a failed one. An unknown name is not recorded, because it may be a
 * password that was entered into the wrong field.
 */
export const signInEvent = (
  action: 'sign_in' | 'refused',
  user: UserStatusRow | undefined,
  from: Pick<AuditEvent, 'address' | 'request_id'>,
): AuditEvent => {
  const actor = action === 'sign_in' && user ? principalOfUser(user) : undefined
  const { account_sid = null, service_provider_sid = null } = user ? toScopedOwner(user) : {}
  return {
    action,
    kind: 'session',
    sid: user?.user_sid ?? null,
    name: user?.name ?? null,
    caller: actor && { ...actor, sid: actor.user_sid, name: user?.name ?? null, ...from },
    ...from,
    owner: { account_sid, service_provider_sid },
    reason: null,
  }
}

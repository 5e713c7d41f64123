import { isAtLeast } from '@patchbay/contract/access'
import { config } from '../../api/configuration.ts'
import { requiredSession } from '../../session/session.ts'

/** Returns whether there is an audit trail that the current user can read. */
export const keepsAuditTrail = (): boolean =>
  config().extensions.has('audit-trail') && isAtLeast(requiredSession().actor.scope, 'service_provider')

import { isAtLeast } from '@patchbay/contract/access'
import { runtime } from '../../api/configuration.ts'
import { requiredSession } from '../../session/session.ts'

/** Whether there is an audit trail that whoever is signed in may read. */
export const keepsAuditTrail = (): boolean =>
  runtime().extensions.has('audit-trail') && isAtLeast(requiredSession().actor.scope, 'service_provider')

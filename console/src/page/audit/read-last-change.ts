import { lastChangeQuery } from '../../api/queries.ts'
import { queryClient } from '../query-client.ts'
import { keepsAuditTrail } from './keeps-audit-trail.ts'
import type { AuditKind } from './words.ts'

/** Ahead, with the record itself. */
export const readLastChange = async (kind: AuditKind, sid: string): Promise<unknown> =>
  keepsAuditTrail() ? queryClient.ensureQueryData(lastChangeQuery(kind, sid)) : undefined

import { lastChangeQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { keepsAuditTrail } from './has-audit-trail.ts'
import type { AuditKind } from './labels.ts'

/** Ahead, with the record itself. */
export const readLastChange = async (kind: AuditKind, sid: string): Promise<unknown> =>
  keepsAuditTrail() ? queryClient.ensureQueryData(lastChangeQuery(kind, sid)) : undefined

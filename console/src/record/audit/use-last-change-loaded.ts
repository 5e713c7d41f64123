import { useQuery } from '@tanstack/react-query'
import { lastChangeQuery } from '../../api/queries.ts'
import { keepsAuditTrail } from './has-audit-trail.ts'
import type { AuditKind } from './labels.ts'

/**
 * Whether the last change of a record has been read, or cannot be: only then is the record shown, since its head would
 * grow by a line under the one who reads it.
 */
export const useLastChangeKnown = (kind: AuditKind, sid: string): boolean => {
  const { isLoading, failureCount } = useQuery({ ...lastChangeQuery(kind, sid), enabled: keepsAuditTrail() })
  return !isLoading || failureCount > 0
}

import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query-client.ts'
import { lastChangeQuery } from '../../api/shared-queries.ts'
import { auditTrail } from '../../routes/audit-trail.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { requiredSession } from '../../session/session.ts'
import { Name } from '../../ui/format/reference.tsx'
import { RelativeTime } from '../../ui/format/time.tsx'
import { actorText } from './actor-text.ts'
import type { AuditKind } from './labels.ts'

/** Returns whether there is an audit trail that the current user can read. */
export const hasAuditTrail = (): boolean => canOpen(auditTrail, requiredSession().actor)

/** Reads the last change of a record into the cache, for a page that is about to open. */
export const prefetchLastChange = async (kind: AuditKind, sid: string): Promise<unknown> =>
  hasAuditTrail() ? queryClient.ensureQueryData(lastChangeQuery(kind, sid)) : undefined

/**
 * Returns whether the last change of a record has been read, or cannot be read. A record is shown only then, because
 * its header would otherwise grow by a line while the user reads it.
 */
export const useLastChangeLoaded = (kind: AuditKind, sid: string): boolean => {
  const { isLoading, failureCount } = useQuery({ ...lastChangeQuery(kind, sid), enabled: hasAuditTrail() })
  return !isLoading || failureCount > 0
}

/** When a record was last changed, and by whom. Empty if that is unknown, or if the user cannot read the audit trail. */
export const LastChange = ({ kind, sid }: { kind: AuditKind; sid: string }) => {
  const { data } = useQuery({ ...lastChangeQuery(kind, sid), enabled: hasAuditTrail() })
  const [last] = data?.data ?? []
  return (
    last && (
      <span>
        changed <RelativeTime iso={last.at} /> by <Name>{actorText(last)}</Name>
      </span>
    )
  )
}

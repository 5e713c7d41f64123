import { useQuery } from '@tanstack/react-query'
import { lastChangeQuery } from '../../api/queries.ts'
import { Name } from '../../ui/reference.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { keepsAuditTrail } from './has-audit-trail.ts'
import { type AuditKind, actorText } from './labels.ts'

/** When a record was changed last, and by whom; nothing where that is not known, or not to this user. */
export const LastChange = ({ kind, sid }: { kind: AuditKind; sid: string }) => {
  const { data } = useQuery({ ...lastChangeQuery(kind, sid), enabled: keepsAuditTrail() })
  const [last] = data?.data ?? []
  return (
    last && (
      <span>
        changed <RelativeTime iso={last.at} /> by <Name>{actorText(last)}</Name>
      </span>
    )
  )
}

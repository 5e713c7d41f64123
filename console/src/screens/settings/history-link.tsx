import { hasAuditTrail } from '../../record/audit/last-change.tsx'
import { auditTrail } from '../../routes/audit-trail.ts'
import { ScreenLink } from '../../screen/links.tsx'

/** Links to the audit trail of a record if the server keeps one and the user can read it. */
export const HistoryLink = ({
  of,
  search,
}: {
  of: string
  search: ReturnType<NonNullable<typeof auditTrail.search>>
}) =>
  hasAuditTrail() && (
    <ScreenLink to={auditTrail} search={search} aria-label={`History of the ${of}`}>
      History
    </ScreenLink>
  )

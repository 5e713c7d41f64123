import { keepsAuditTrail } from '../../page/audit/keeps-audit-trail.ts'
import { ScreenLink } from '../../page/links.tsx'
import { auditTrail } from '../audit-trail/screens.ts'

/** Leads to what the audit trail holds of a thing, for those who may read it, where the server keeps one. */
export const HistoryLink = ({
  of,
  search,
}: {
  of: string
  search: ReturnType<NonNullable<typeof auditTrail.search>>
}) =>
  keepsAuditTrail() && (
    <ScreenLink to={auditTrail} search={search} aria-label={`History of the ${of}`}>
      History
    </ScreenLink>
  )

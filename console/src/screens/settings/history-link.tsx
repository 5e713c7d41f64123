import { keepsAuditTrail } from '../../record/audit/has-audit-trail.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { auditTrail } from '../../routes/audit-trail.ts'

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

/** Kinds of events in the audit trail. */
export const auditActions = ['create', 'update', 'delete', 'try', 'sign_in', 'sign_out', 'refused'] as const
export type AuditAction = (typeof auditActions)[number]

/** Maximum number of the newest entries that are counted and paged. Older entries can be reached with filters only. */
export const maxAuditEntries = 10_000

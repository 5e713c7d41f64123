/** What the audit trail tells apart. */
export const auditActions = ['create', 'update', 'delete', 'try', 'sign_in', 'sign_out', 'refused'] as const
export type AuditAction = (typeof auditActions)[number]

/** So many of the newest entries are counted and can be paged to; what is older is found by narrowing. */
export const maxAuditEntries = 10_000

import { z } from 'zod'
import { scopes } from './access.ts'
import { endpoints } from './endpoint.ts'
import { auditActions } from './shared/audit.ts'
import { pageQuery } from './lists/page-query.ts'
import { instant, sid } from './values.ts'

/** The audit trail: who changed what, and what was refused. An extension: the platform keeps none. */

/** What a field was and became; secrets masked, null where there was nothing. */
export const auditChange = z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })
export type AuditChange = z.infer<typeof auditChange>

export const auditEntry = z.object({
  entry_sid: z.string(),
  at: instant,
  action: z.enum(auditActions),
  /** what was changed: a resource's name, one thing of it, such as phone_number */
  kind: z.string(),
  /** null for what there is one of, such as the password policy */
  sid: z.string().nullable(),
  /** what it was called then */
  name: z.string().nullable(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  /** `nobody` is not signed in; `patchbay` is the server itself */
  actor: z.enum(['user', 'api_key', 'platform', 'patchbay', 'nobody']),
  actor_sid: z.string().nullable(),
  actor_name: z.string().nullable(),
  actor_scope: z.enum(scopes).nullable(),
  /** null as well where somebody above the reader did it */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  changes: z.array(auditChange),
  /** why it was refused */
  reason: z.string().nullable(),
  /** how often within a second or so */
  times: z.number(),
})
export type AuditEntry = z.infer<typeof auditEntry>

const auditQuery = z.object({
  ...pageQuery,
  action: z.enum(auditActions, { error: `must be one of ${auditActions.join(', ')}` }).optional(),
  kind: z.string().max(64).optional(),
  /** of the thing that was changed */
  sid: z.string().max(64).optional(),
  actor_sid: sid.optional(),
  account_sid: sid.optional(),
  service_provider_sid: sid.optional(),
  /** part of a name, of the thing or of who changed it; or a whole SID, address or request id */
  filter: z.string().max(255).optional(),
})

export const auditTrailEndpoints = endpoints({
  'GET /patchbay/audit-trail': {
    summary: 'A page of who changed what, newest first; of a provider for its users, of everything for admins',
    access: { minScope: 'service_provider', owner: 'narrowed' },
    query: auditQuery,
    responses: {
      200: z.object({
        /** at most 10,000, also where there is more */
        total: z.number(),
        page: z.string(),
        page_size: z.string(),
        data: z.array(auditEntry),
      }),
    },
  },
})

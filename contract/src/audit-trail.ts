import { z } from 'zod'
import { scopes } from './api/access.ts'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { instant, sid } from './api/values.ts'
import { pageQuery } from './lists/page-query.ts'
import { auditActions } from './shared/audit.ts'

/**
 * The audit trail: who changed what, and which requests were denied. A Patchbay extension; the platform has no
 * equivalent.
 */

/** A field's value before and after the change. Secrets are masked; null means that the field had no value. */
export const auditChange = z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })
export type AuditChange = z.infer<typeof auditChange>

export const auditEntry = z.object({
  entry_sid: z.string(),
  at: instant,
  action: z.enum(auditActions),
  /** Kind of the changed record in the singular, such as `phone_number`. */
  kind: z.string(),
  /** Null for singletons such as the password policy. */
  sid: z.string().nullable(),
  /** Name of the record at the time of the change. */
  name: z.string().nullable(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  /** The kind of the caller. `patchbay` is the server itself, and the last value marks unauthenticated callers. */
  actor: z.enum(['user', 'api_key', 'platform', 'patchbay', 'nobody']),
  actor_sid: z.string().nullable(),
  actor_name: z.string().nullable(),
  actor_scope: z.enum(scopes).nullable(),
  /** Also null if the actor has a higher scope than the reader. */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  changes: z.array(auditChange),
  /** Reason why the request was denied. */
  reason: z.string().nullable(),
  /** Number of identical events within about a second, which are merged into one entry. */
  times: z.number(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** A record to which values of changes refer. */
export const referencedRecord = z.object({
  kind: z.string(),
  sid: z.string(),
  /** The present name, or that at the deletion. */
  name: z.string(),
  is_deleted: z.boolean(),
})
export type ReferencedRecord = z.infer<typeof referencedRecord>

/** Maximum number of records that a page names. The values of older entries remain SIDs. */
export const maxReferencedRecords = 1000

const auditQuery = z.object({
  ...pageQuery,
  action: z.enum(auditActions, { error: `must be one of ${auditActions.join(', ')}` }).optional(),
  kind: z.string().max(64).optional(),
  /** SID of the changed record. */
  sid: z.string().max(64).optional(),
  actor_sid: sid.optional(),
  account_sid: sid.optional(),
  service_provider_sid: sid.optional(),
  /** Part of the name of the record or of the actor, or a complete SID, IP address, or request ID. */
  filter: z.string().max(255).optional(),
})

export const auditTrailEndpoints = endpoints({
  'GET /patchbay/audit-trail': {
    summary:
      'List a page of the audit trail, newest first; admins see all entries, other users those of their service provider',
    access: { minScope: 'service_provider', owner: 'narrowed' },
    query: auditQuery,
    responses: {
      200: z.object({
        /** Capped at 10,000. */
        total: z.number(),
        page: z.string(),
        page_size: z.string(),
        data: z.array(auditEntry),
        /** Names of the records to which the changes of these entries refer, if the reader may see the records. */
        referenced_records: z.array(referencedRecord),
      }),
    },
  },
})

/** Descriptions of fields for the API documentation. */
export const auditTrailDescriptions: Descriptions = {
  action: 'Action, such as create, update, or delete.',
  actor:
    'Kind of the author: a user, an API key, the platform, Patchbay, or nobody if the caller was not authenticated.',
  actor_name: 'Name of the author when the action happened.',
  actor_scope: 'Scope of the author.',
  actor_sid: 'SID of the user or the API key.',
  address: 'IP address of the client.',
  after: 'Values after the change. Secrets are masked.',
  at: 'Time of the action (ISO 8601).',
  before: 'Values before the change. Secrets are masked.',
  changes: 'Changed fields with their values before and after.',
  entry_sid: 'SID of the audit entry.',
  field: 'Name of the changed field.',
  is_deleted: 'Whether the record no longer exists.',
  kind: 'Kind of the record.',
  referenced_records: 'Names of the records to whose SIDs the changes refer.',
  request_id: 'ID of the request, as in the logs.',
  times: 'How often the action was repeated within a second.',
}

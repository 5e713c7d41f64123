import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { instant, instantInput } from './api/values.ts'

/** Deletions of the call data of accounts, which run in the background. A Patchbay extension. */

/** Kinds of rows that a deletion counts. */
export const deletedKinds = [
  'calls',
  'traces',
  'logs',
  'captures',
  'alerts',
  'conversations',
  'transcripts',
  'reviews',
  'agent_events',
  'recordings',
  'counts',
] as const
export type DeletedKind = (typeof deletedKinds)[number]

export const dataDeletion = z.object({
  data_deletion_sid: z.string(),
  account_sid: z.string(),
  status: z.enum(['waiting', 'running', 'finished']),
  /** Start of the first UTC day whose data is kept. Earlier data is deleted. */
  before: instant,
  requested_at: instant,
  /** Name of the user, or the masked token of the API key. */
  requested_by: z.string().nullable(),
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  /** Why the last attempt failed. Patchbay repeats it. */
  last_error: z.string().nullable(),
  /** Number of deleted rows. The recordings are those in the storage of the account. */
  deleted: z.partialRecord(z.enum(deletedKinds), z.number()),
})
export type DataDeletion = z.infer<typeof dataDeletion>

const newDataDeletion = z.strictObject({
  /** The data of the UTC days that ended before this time is deleted. Default: of all days before today. */
  before: instantInput('1971-01-01T00:00:00Z', '2100-01-01T00:00:00Z').nullish(),
})

export const dataDeletionEndpoints = endpoints({
  'GET /patchbay/Accounts/:account_sid/DataDeletions': {
    summary: 'List the last 100 deletions of call data of an account, newest first',
    access: accountAccess,
    responses: { 200: z.array(dataDeletion) },
  },
  'POST /patchbay/Accounts/:account_sid/DataDeletions': {
    summary: 'Delete the call data of an account in the background; returns a deletion of the same period that runs',
    access: accountAccess,
    body: newDataDeletion,
    responses: { 202: dataDeletion },
  },
})

/** Descriptions of fields for the API documentation. */
export const dataDeletionDescriptions: Descriptions = {
  before: 'Start of the first UTC day whose data is kept (ISO 8601). In a request any time up to now, default now.',
  data_deletion_sid: 'SID of the deletion.',
  deleted: 'Number of deleted rows by kind. Recordings are those in the storage of the account.',
  finished_at: 'Time at which everything was deleted (ISO 8601).',
  last_error: 'Why the last attempt failed, or what was not deleted.',
  requested_at: 'Time of the request (ISO 8601).',
  requested_by: 'Name of the user, or masked token of the API key, that requested it.',
  started_at: 'Time at which the deletion started (ISO 8601).',
  status: 'waiting, running, or finished.',
}

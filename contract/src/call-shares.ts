import { z } from 'zod'
import type { Bytes } from './api/endpoint.ts'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { listPageQuery } from './api/list-pages.ts'
import { booleanInput, flag, instant, integerInput, name } from './api/values.ts'
import { reportMasking, reportSubject } from './call-reports.ts'
import { conversation } from './conversations.ts'
import { legChoices } from './shared/call-report-choices.ts'
import { callShareLimits } from './shared/call-share-limits.ts'

/**
 * Links with which people without a user read the conversation of a call, or a report about it, until they expire or are
 * revoked. A Patchbay extension.
 */

const callShare = z.object({
  call_share_sid: z.string(),
  call_sid: z.string(),
  /** Whether the link also plays the recording. */
  includes_recording: flag,
  /** The choices of the report that the link shows. Null if it shows the conversation. */
  report: z.object({ ...reportMasking, legs: z.enum(legChoices) }).nullable(),
  note: z.string().nullable(),
  created_by: z.string().nullable(),
  created_at: instant,
  expires_at: instant,
  /** The link is opened at most once per minute for this number. */
  views: z.number().int(),
  last_viewed_at: instant.nullable(),
  /** False while the creator cannot share the call, for example because the user was deleted. The link then ends. */
  is_valid: z.boolean(),
})
export type CallShare = z.infer<typeof callShare>

const newCallShare = z.strictObject({
  expires_in_hours: integerInput(1, callShareLimits.hours),
  includes_recording: booleanInput,
  note: name(callShareLimits.note).nullish(),
  /** Shows the report about the leg with this Call-ID, and not the conversation. */
  report: z.strictObject(reportSubject).nullish(),
})
export type NewCallShare = z.output<typeof newCallShare>

const createdCallShare = z.object({
  sid: z.string(),
  /** The secret of the link, which only this response contains. */
  token: z.string(),
  expires_at: instant,
})
export type CreatedCallShare = z.infer<typeof createdCallShare>

const sharedCall = z.object({
  account_name: z.string(),
  expires_at: instant,
  attempted_at: instant,
  /** Seconds. */
  duration: z.number(),
  direction: z.string().nullable(),
  /** The last four digits of the numbers. Null for SIP users and anonymous callers. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  includes_recording: flag,
  /** Without span IDs, vendors, models, and details that can contain addresses. Null if the call has no conversation. */
  conversation: conversation.nullable(),
})
export type SharedCall = z.infer<typeof sharedCall>

const audio = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)

/** The token of the link is the bearer token of the request, so that no URL contains it. */
const linkAccess = { minScope: 'public', owner: 'none', linkToken: true } as const

export const callShareEndpoints = endpoints({
  'GET /patchbay/Accounts/:account_sid/CallShares': {
    summary: 'List the links to shared calls of an account that have not expired, newest first',
    access: accountAccess,
    query: z.object(listPageQuery),
    responses: {
      200: z.object({ total: z.number(), page: z.number(), page_size: z.number(), data: z.array(callShare) }),
    },
  },
  'GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': {
    summary: 'List the links to a call that have not expired, newest first',
    access: accountAccess,
    responses: { 200: z.array(callShare) },
  },
  'POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': {
    summary:
      'Create a link to the conversation of a call or to a report about it; only this response contains its token',
    access: accountAccess,
    body: newCallShare,
    responses: { 201: createdCallShare },
  },
  'DELETE /patchbay/Accounts/:account_sid/CallShares/:call_share_sid': {
    summary: 'Revoke a link to a shared call',
    access: accountAccess,
    responses: { 204: null },
  },
  'GET /patchbay/shared-call': {
    summary: 'Get the shared call of a link; 404 if the link is unknown, expired, or revoked',
    access: linkAccess,
    responses: { 200: sharedCall },
  },
  'GET /patchbay/shared-call/recording': {
    summary: 'Download the recording of a shared call, or a range of it; 404 if the link does not include it',
    access: linkAccess,
    responses: { 200: audio },
    bytes: ['audio/mp3', 'audio/wav'],
  },
})

/** Descriptions of fields for the API documentation. */
export const callShareDescriptions: Descriptions = {
  call_share_sid: 'SID of the link.',
  conversation: 'Conversation of the call, or null if there is none.',
  created_by: 'Name of the user, or masked token of the API key, that created the link.',
  expires_at: 'Time at which the link expires (ISO 8601).',
  expires_in_hours: 'Hours after which the link expires: 1 to 720.',
  from: 'Last four digits of the calling number, or null.',
  includes_recording: 'Whether the link also plays the recording.',
  is_valid: 'False if the creator can no longer share the call, so the link does not work.',
  last_viewed_at: 'Time of the last counted view (ISO 8601), or null.',
  note: 'Note for those who manage the link.',
  report: 'Call-ID, legs, and masking of the report that the link shows, or null if it shows the conversation.',
  to: 'Last four digits of the called number, or null.',
  token: 'Secret of the link. The console opens it as /shared-call#<token>.',
  views: 'Number of views. Views within a minute count as one.',
}

import { z } from 'zod'
import { type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { type Fault, validateCallChange, validateNewCall, validateNewMessage } from './shared/call-changes.ts'

/** Active calls, queues, and conferences (docs/reference/platform-api/live-calls.md). */

const optional = z.string().optional()

/**
 * The call state that the platform stores. All members are text except `sip_status` and `duration`. Loose, so that
 * members added by newer platform versions reach the client unchanged. Records expire one hour after the end of the
 * call.
 */
export const liveCall = z.looseObject({
  account_sid: z.string(),
  call_sid: z.string(),
  direction: optional,
  from: optional,
  to: optional,
  call_status: optional,
  call_id: optional,
  caller_id: optional,
  caller_name: optional,
  application_sid: optional,
  parent_call_sid: optional,
  trace_id: optional,
  originating_sip_trunk_name: optional,
  sip_status: z.number().optional(),
  sip_reason: optional,
  /** Seconds. Set for completed calls only. */
  duration: z.number().optional(),
  /** URL of the feature server that handles the call. */
  service_url: optional,
  /** When the call was first seen, ISO 8601. Absent if the platform's own API server returned the call. */
  started_at: optional,
})
export type LiveCall = z.infer<typeof liveCall>

/** Maximum number of calls in the list of a service provider. */
export const maxProviderCalls = 10_000

const providerCalls = z.object({
  data: z.array(liveCall).max(maxProviderCalls),
  /** True if there are more calls, which are older. */
  is_cut: z.boolean(),
})

const callQuery = z.object({
  direction: z.string().max(16).optional(),
  from: z.string().max(255).optional(),
  to: z.string().max(255).optional(),
  callStatus: z.string().max(32).optional(),
})
export type LiveCallQuery = z.output<typeof callQuery>

/** The body is forwarded to the feature server, which validates all members that Patchbay does not check itself. */
const maxDepth = 32

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

const forwardedBody = <Shape extends z.ZodRawShape>(
  members: Shape,
  validate: (body: Readonly<Record<string, unknown>>) => Fault | undefined,
) =>
  z.looseObject(members).superRefine((body, context) => {
    const fault = isDeeper(body, maxDepth)
      ? { msg: `the body is nested more than ${maxDepth} levels deep` }
      : validate(body)
    if (fault) context.addIssue({ code: 'custom', message: fault.msg, path: fault.field ? [fault.field] : [] })
  })

const any = z.unknown().optional()

const newCall = forwardedBody(
  {
    from: any,
    /** `{type: 'phone' or 'teams', number}`, `{type: 'user', name}`, or `{type: 'sip', sipUri}` */
    to: any,
    application_sid: any,
    call_hook: any,
    call_status_hook: any,
    speech_synthesis_vendor: any,
    speech_synthesis_language: any,
    speech_synthesis_voice: any,
    speech_recognizer_vendor: any,
    speech_recognizer_language: any,
  },
  validateNewCall,
)
export type NewCall = z.output<typeof newCall>

const callChange = forwardedBody(
  { call_hook: any, call_status: any, mute_status: any, record: any, dtmf: any, sip_request: any, whisper: any },
  validateCallChange,
)

const newMessage = forwardedBody({ from: any, to: any, text: any, media: any }, validateNewMessage)

const queue = z.object({ name: z.string(), length: z.number() })
export type Queue = z.infer<typeof queue>

const ofAccount = { of: 'account' } as const

const change = {
  access: { minScope: 'account', owner: ofAccount },
  body: callChange,
  // A SIP request returns 200 with the response of the remote party.
  responses: { 200: z.unknown(), 202: null },
} as const

export const liveCallEndpoints = endpoints({
  'GET /Accounts/:account_sid/Calls': {
    summary: 'List the calls of an account that are in progress or ended within the last hour, newest first',
    access: { minScope: 'account', owner: ofAccount },
    query: callQuery,
    responses: { 200: z.array(liveCall) },
  },
  'GET /patchbay/service-providers/:service_provider_sid/live-calls': {
    summary:
      'List the calls of all accounts of a service provider that are in progress or ended within the last hour, newest first',
    access: providerAccess,
    responses: { 200: providerCalls },
  },
  'POST /Accounts/:account_sid/Calls': {
    summary: 'Make a call',
    access: { minScope: 'account', owner: ofAccount },
    body: newCall,
    responses: { 201: z.looseObject({ sid: z.string() }) },
  },
  'GET /Accounts/:account_sid/Calls/:call_sid': {
    summary: 'Get a call in progress',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: liveCall },
  },
  'PUT /Accounts/:account_sid/Calls/:call_sid': { summary: 'Update or end a call in progress', ...change },
  'POST /Accounts/:account_sid/Calls/:call_sid': { summary: 'Update or end a call in progress', ...change },
  'DELETE /Accounts/:account_sid/Calls/:call_sid': {
    summary: 'Delete the record of a call in progress; the call itself continues',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 204: null },
  },
  'GET /Accounts/:account_sid/CallCount': {
    summary: 'Count the calls of an account in progress, if the SBCs count them',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.object({ inbound: z.number(), outbound: z.number() }) },
  },
  'POST /Accounts/:account_sid/Messages': {
    summary: 'Send a text message',
    access: { minScope: 'account', owner: ofAccount },
    body: newMessage,
    responses: { 200: z.unknown(), 201: z.unknown(), 202: z.unknown() },
  },
  'GET /Accounts/:account_sid/Queues': {
    summary: 'List the queues of an account with their number of waiting calls',
    access: { minScope: 'account', owner: { ...ofAccount, allowUnknown: true } },
    query: z.object({ search: z.string().max(128).optional() }),
    responses: { 200: z.array(queue) },
  },
  'GET /Accounts/:account_sid/Conferences': {
    summary: 'List the names of the active conferences of an account',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(z.string()) },
  },
})

/** Descriptions of fields for the API documentation. */
export const liveCallDescriptions: Descriptions = {
  call_id: 'SIP Call-ID.',
  caller_id: 'Caller ID of the call.',
  caller_name: 'Name of the caller.',
  callStatus: 'Filters by the status of the call.',
  dtmf: 'DTMF digits to send.',
  inbound: 'Number of inbound calls.',
  length: 'Number of waiting calls.',
  media: 'URLs of media in the message.',
  mute_status: 'mute or unmute.',
  originating_sip_trunk_name: 'Name of the carrier of an inbound call.',
  outbound: 'Number of outbound calls.',
  parent_call_sid: 'SID of the call that created this call.',
  record: 'Starts, stops, pauses, or resumes a SIPREC recording.',
  search: 'Text that the queue names contain.',
  service_url: 'URL of the feature server that handles the call.',
  sip_reason: 'Reason phrase of the last SIP response.',
  sip_request: 'SIP request to send within the call.',
  whisper: 'Verbs that only one party hears.',
}

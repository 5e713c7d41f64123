import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'

/**
 * Captured SIP messages of a call or registration (docs/reference/platform-api/traces-and-captures.md#captured-sip).
 */

/** A SIP message with its packet metadata. Loose, because Homer adds further members. */
const message = z.looseObject({
  id: z.number(),
  /** The Call-ID header. */
  sid: z.string(),
  callid: z.string(),
  /** Milliseconds since the Unix epoch; `micro_ts` has the same time in microseconds. */
  create_date: z.number(),
  micro_ts: z.number(),
  srcIp: z.string(),
  srcPort: z.number(),
  dstIp: z.string(),
  dstPort: z.number(),
  /** IP protocol number: 17 is UDP, 6 is TCP. */
  protocol: z.number(),
  /** HEP payload type: 1 is SIP. */
  payloadType: z.number(),
  /** ID of the capture agent whose clock stamped the message (HEP chunk 0x0c). Homer returns a number or a text. */
  captureId: z.union([z.number(), z.string()]).optional(),
  /** The method of a request, or the status of a response. */
  method: z.string(),
  from_user: z.string(),
  to_user: z.string(),
  /** The complete message. */
  raw: z.string(),
})
export type CapturedMessage = z.infer<typeof message>

/** An arrow of the SIP ladder diagram. */
const arrow = z.looseObject({
  id: z.number(),
  sid: z.string(),
  srcHost: z.string(),
  dstHost: z.string(),
  srcId: z.string(),
  dstId: z.string(),
  srcIp: z.string(),
  dstIp: z.string(),
  srcPort: z.number(),
  dstPort: z.number(),
  aliasSrc: z.string(),
  aliasDst: z.string(),
  method: z.string(),
  method_text: z.string(),
  create_date: z.number(),
  protocol: z.number(),
  ruri_user: z.string(),
  micro_ts: z.number(),
})

/** Ordered by time. If `total` is 0, all lists are empty. */
export const capture = z.looseObject({
  total: z.number(),
  /** True if the capture has more messages than are returned. Absent if the capture comes from Homer. */
  is_cut: z.boolean().optional(),
  /**
   * Position of the missing messages. Calls return their first messages (`end`), registrations their newest
   * (`beginning`).
   */
  cut_at: z.enum(['beginning', 'end']).optional(),
  data: z.looseObject({
    messages: z.array(message),
    calldata: z.array(arrow),
    /** Position and address by `ip:port`, in the order of first appearance. */
    hosts: z.record(z.string(), z.looseObject({ host: z.array(z.string()), position: z.number() })),
    alias: z.record(z.string(), z.string()),
  }),
  keys: z.array(z.string()),
})
export type Capture = z.infer<typeof capture>

const file = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)
const bytes = ['application/octet-stream'] as const

export const callCaptureEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid': {
    summary: 'Get the captured SIP of a call or registration of an account by its Call-ID; total is 0 if there is none',
    access: accountAccess,
    responses: { 200: capture },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': {
    summary:
      'Get the captured SIP of a call or registration of a service provider by its Call-ID; total is 0 if there is none',
    access: providerAccess,
    responses: { 200: capture },
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': {
    summary:
      'Download the captured SIP of an account as a pcap file; method is invite or register; 404 if there is none',
    access: accountAccess,
    responses: { 200: file },
    bytes,
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': {
    summary:
      'Download the captured SIP of a service provider as a pcap file; method is invite or register; 404 if there is none',
    access: providerAccess,
    responses: { 200: file },
    bytes,
  },
})

/** Descriptions of fields for the API documentation. */
export const callCaptureDescriptions: Descriptions = {
  alias: 'Names of the hosts, as configured in Homer.',
  aliasDst: 'Name of the destination.',
  aliasSrc: 'Name of the source.',
  calldata: 'Messages for a ladder diagram, in the format of Homer.',
  callid: 'SIP Call-ID.',
  captureId: 'ID of the capture agent whose clock stamped the message. Absent if the agent sent none.',
  create_date: 'Time of the capture in milliseconds since 1970.',
  dstHost: 'Host name of the destination.',
  dstId: 'Address and port of the destination.',
  dstIp: 'IP address of the destination.',
  dstPort: 'Port of the destination.',
  from_user: 'User part of the From header.',
  host: 'Addresses of the host.',
  hosts: 'Hosts of the messages with their positions in the diagram.',
  messages: 'Captured messages.',
  method: 'SIP method: invite or register.',
  method_text: 'SIP method or status line.',
  micro_ts: 'Time of the capture in microseconds since 1970.',
  payloadType: 'Type of the captured packet.',
  position: 'Position in the diagram.',
  raw: 'Text of the message.',
  ruri_user: 'User part of the Request-URI.',
  srcHost: 'Host name of the source.',
  srcId: 'Address and port of the source.',
  srcIp: 'IP address of the source.',
  srcPort: 'Port of the source.',
  to_user: 'User part of the To header.',
}

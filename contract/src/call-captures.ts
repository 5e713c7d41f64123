import { z } from 'zod'
import { type Access, type Bytes, endpoints } from './endpoint.ts'

/** The SIP of a call or of a registration, as it was captured (api/4-calls-and-hosted.md §2.3, §2.4). */

/** A message with what its packet said. A platform's Homer adds members. */
const message = z.looseObject({
  id: z.number(),
  /** the Call-ID */
  sid: z.string(),
  callid: z.string(),
  /** epoch milliseconds, and microseconds */
  create_date: z.number(),
  micro_ts: z.number(),
  srcIp: z.string(),
  srcPort: z.number(),
  dstIp: z.string(),
  dstPort: z.number(),
  /** of IP: 17 UDP, 6 TCP */
  protocol: z.number(),
  /** 1: SIP */
  payloadType: z.number(),
  /** of a request its method, of an answer its status */
  method: z.string(),
  from_user: z.string(),
  to_user: z.string(),
  /** the whole text */
  raw: z.string(),
})
export type CapturedMessage = z.infer<typeof message>

/** One arrow of a ladder. */
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

/** In order of time. With `total` 0 of all of it nothing. */
export const capture = z.looseObject({
  total: z.number(),
  /** there is more than is told; a platform's Homer does not say */
  is_cut: z.boolean().optional(),
  /** where that is: of a call the first messages are told, of a registration the newest */
  cut_at: z.enum(['beginning', 'end']).optional(),
  data: z.looseObject({
    messages: z.array(message),
    calldata: z.array(arrow),
    /** by ip:port, in the order in which they took part */
    hosts: z.record(z.string(), z.looseObject({ host: z.array(z.string()), position: z.number() })),
    alias: z.record(z.string(), z.string()),
  }),
  keys: z.array(z.string()),
})
export type Capture = z.infer<typeof capture>

const file = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)
const bytes = ['application/octet-stream'] as const

const ofAccount = {
  minScope: 'account',
  owner: { of: 'account', param: 'account_sid' },
  refusal: 'insufficient_privileges',
} as const satisfies Access

const ofProvider = {
  minScope: 'service_provider',
  owner: { of: 'service_provider', param: 'service_provider_sid' },
  refusal: 'insufficient_privileges',
} as const satisfies Access

export const callCaptureEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid': {
    summary: 'The captured SIP of a call or a registration of an account, by its Call-ID; total 0 where there is none',
    access: ofAccount,
    responses: { 200: capture },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': {
    summary:
      'The captured SIP of a call or a registration of a service provider, by its Call-ID; total 0 where there is none',
    access: ofProvider,
    responses: { 200: capture },
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': {
    summary: 'The same as a pcap file; method is invite or register. 404 where there is none',
    access: ofAccount,
    responses: { 200: file },
    bytes,
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': {
    summary: 'The same of a service provider as a pcap file; method is invite or register. 404 where there is none',
    access: ofProvider,
    responses: { 200: file },
    bytes,
  },
})

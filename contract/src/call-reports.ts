import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints } from './api/endpoint.ts'
import { instant } from './api/values.ts'
import { addressMaskings, legChoices, numberMaskings } from './shared/call-report-choices.ts'

/**
 * Reports about calls for people outside the tenant, such as the support of a carrier: verdict, SIP ladder, and messages,
 * in which numbers and addresses are masked as chosen, and credentials always. A Patchbay extension.
 */

/** Choices of what a report masks. */
export const reportMasking = {
  numbers: z.enum(numberMaskings),
  addresses: z.enum(addressMaskings),
}

/**
 * The call and the choices of a report. A record and its captured SIP are found by the Call-ID, because calls that fail early have no
 * call_sid. Without a choice, the report has all legs.
 */
export const reportSubject = {
  sip_callid: z.string().min(1).max(255),
  legs: z.enum(legChoices).optional(),
  ...reportMasking,
}

const evidence = z.object({
  title: z.string(),
  /** The party that the evidence is about, such as `Carrier`. */
  side: z.string(),
  detail: z.string().nullable(),
})

const reportArrow = z.object({
  id: z.number().int(),
  /** Index in `legs`. */
  leg: z.number().int(),
  /** Indexes in `lanes`. */
  from: z.number().int(),
  to: z.number().int(),
  /** Microseconds since the Unix epoch. */
  at: z.number(),
  /** Microseconds. */
  since_first: z.number(),
  since_before: z.number(),
  early: z.object({ cause: z.number().int(), by: z.number() }).nullable(),
  /** Times of retransmissions, in microseconds since the Unix epoch. */
  again: z.array(z.number()),
  title: z.string(),
  transport: z.string(),
  /** The masked message. */
  raw: z.string(),
})

const finding = z.object({
  severity: z.enum(['bad', 'warn', 'good', 'info']),
  text: z.string(),
  /** The RFC and the section. */
  source: z.string(),
  arrows: z.array(z.number().int()),
  leg: z.number().int().nullable(),
})

export const callReport = z.object({
  account_name: z.string(),
  masking: z.object(reportMasking),
  call: z.object({
    attempted_at: instant,
    answered_at: instant.nullable(),
    terminated_at: instant.nullable(),
    /** Seconds. */
    duration: z.number(),
    direction: z.string().nullable(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    /** The status with its name, such as `503 Service Unavailable`. */
    sip_status: z.string().nullable(),
    termination_reason: z.string().nullable(),
    trunk: z.string().nullable(),
  }),
  /** Judged by the record and the captured SIP. */
  verdict: z.object({
    tone: z.enum(['neutral', 'warn', 'bad']),
    title: z.string(),
    cause: evidence.nullable(),
    further: z.array(evidence),
  }),
  legs: z.array(
    z.object({
      name: z.string(),
      sip_callid: z.string(),
      description: z.string(),
      /** Packets that were captured at two points of the network. */
      doubled: z.number().int(),
    }),
  ),
  lanes: z.array(z.object({ host: z.string(), name: z.string().nullable() })),
  arrows: z.array(reportArrow),
  findings: z.array(finding),
  /** True if the call has more messages than the report. */
  is_cut: z.boolean(),
})
export type CallReport = z.infer<typeof callReport>

const sharedReport = z.object({ expires_at: instant, report: callReport })
export type SharedReport = z.infer<typeof sharedReport>

const file = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)
const htmlFile = { responses: { 200: file }, bytes: ['text/html'] } as const
const pcapFile = { responses: { 200: file }, bytes: ['application/vnd.tcpdump.pcap'] } as const

/** The token of the link is the bearer token of the request, so that no URL contains it. */
const linkAccess = { minScope: 'public', owner: 'none', linkToken: true } as const

export const callReportEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/call-report.html': {
    summary:
      'Download a report about a call as an HTML file, with masked numbers and addresses; 404 without captured SIP',
    access: accountAccess,
    query: z.object(reportSubject),
    ...htmlFile,
  },
  'GET /patchbay/accounts/:account_sid/call-report.pcap': {
    summary: 'Download the captured SIP of a report as a pcap file, with masked numbers and addresses',
    access: accountAccess,
    query: z.object(reportSubject),
    ...pcapFile,
  },
  'GET /patchbay/shared-report': {
    summary: 'Get the report of a link; 404 if the link is unknown, expired, or revoked, or shares a conversation',
    access: linkAccess,
    responses: { 200: sharedReport },
  },
  'GET /patchbay/shared-report/report.html': {
    summary: 'Download the report of a link as an HTML file',
    access: linkAccess,
    ...htmlFile,
  },
  'GET /patchbay/shared-report/call.pcap': {
    summary: 'Download the captured SIP of the report of a link as a pcap file',
    access: linkAccess,
    ...pcapFile,
  },
})

/** Descriptions of fields for the API documentation. */
export const callReportDescriptions: Descriptions = {
  account_name: 'Name of the account.',
  addresses:
    'IP addresses and host names: shown, private (those of private networks are masked), or all (all are masked).',
  again: 'Times of retransmissions, in microseconds since 1970.',
  arrows: 'SIP messages in causal order.',
  at: 'Time of the message in microseconds since 1970.',
  by: 'By how many microseconds.',
  call: 'Facts of the call.',
  cause: 'The evidence of the verdict, or null if nothing is wrong.',
  detail: 'Details of the evidence, or null.',
  doubled: 'Number of packets that were captured twice.',
  early: 'The message that must precede this one although its time is later, and by how many microseconds.',
  expires_at: 'Time at which the link expires (ISO 8601).',
  findings: 'Findings about the SIP messages.',
  further: 'Other evidence.',
  is_cut: 'True if the call has more messages than the report.',
  lanes: 'Hosts of the ladder diagram.',
  leg: 'Index of the leg.',
  legs: 'Legs of the report, one per Call-ID. As a choice: all, or one for only the leg with the Call-ID.',
  masking: 'Masking of the report.',
  numbers: 'Phone numbers and SIP users: shown, last_digits (the last four are kept), or masked.',
  raw: 'Text of the masked message.',
  report: 'The report.',
  severity: 'Severity of the finding: bad, warn, good, or info.',
  side: 'Party that the evidence is about.',
  since_before: 'Microseconds since the message before.',
  since_first: 'Microseconds since the first message.',
  source: 'RFC and section of the rule.',
  title: 'Summary in one sentence, or the start line of a message.',
  tone: 'neutral if nothing is broken, warn for a problem of an answered call, bad for a failed call.',
  transport: 'Transport protocol.',
  verdict: 'Verdict by the record and the captured SIP.',
}

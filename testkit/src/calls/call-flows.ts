import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Call } from '@patchbay/contract/recent-calls'
import { explainSip } from '@patchbay/rules/call-verdict/sip-rules'
import { judgeCall } from '@patchbay/rules/call-verdict/verdict'
import { type AnalyzedSip, analyzeCaptures } from '@patchbay/rules/sip/findings/findings'

/**
 * Reads the corpus of call flows (testkit/call-flows): captured SIP of calls with the findings and the verdict that they
 * have to get. Each file begins with comments, and continues with the messages in the order of their capture:
 *
 *     # title: A second target answers after a 503
 *     # source: RFC 3261 §16.7
 *     # call: {"direction":"outbound","trunk":"Bluewave"}
 *     # verdict: neutral none: Answered, 20 s.
 *     # own: A
 *     # evidence: part of the finding that proves the verdict, or of its advice
 *     # finding: good answered: the called party (198.51.100.5:5060) answered after 5.00 s
 *     # absent: 198.51.100.4:5060) answered
 *     @ 0.000 10.0.0.5:5060 > 198.51.100.4:5060 udp
 *     INVITE sip:15550100002@sbc.example SIP/2.0
 *     …
 *
 * `own` is the letter of the leg that the record is about. It is leg A if the file does not state it.
 * `absent` is a part of a sentence that no finding may contain. `@` is followed by the seconds since the first message, the two
 * hosts, the transport, and optionally the ID of the capture agent. `$ID` is the Call-ID, and `$ID.B` that of a second leg. Content-Length is added.
 */

const folder = fileURLToPath(new URL('../../call-flows/', import.meta.url))

export interface FlowMessage {
  seconds: number
  source: { address: string; port: number }
  destination: { address: string; port: number }
  transport: 'udp' | 'tcp' | 'tls'
  agent: number | undefined
  text: string
}

export interface ExpectedFinding {
  severity: string
  rule: string
  /** Part of the sentence. */
  text: string
}

/** The messages of one Call-ID. */
export interface FlowLeg {
  /** A letter such as `A`. */
  name: string
  callId: string
  messages: readonly FlowMessage[]
}

export interface CallFlow {
  /** Path in the folder of the corpus, without the extension. */
  name: string
  title: string
  /** RFC section, or the public report that the flow is modeled on. */
  source: string
  /** True if nothing is wrong with the call, so that no finding may be above a note. */
  isHealthy: boolean
  call: Call
  /** Tone, side (`none` without a cause), and title. Undefined if the flow does not state a verdict. */
  verdict: string | undefined
  /** Parts of the finding and of the advice with which the verdict is shown. */
  evidence: readonly string[]
  findings: readonly ExpectedFinding[]
  /** Parts of sentences that no finding may contain. */
  absent: readonly string[]
  messages: readonly FlowMessage[]
  /** The Call-ID of leg A, with which the Call-IDs of the other legs begin. */
  callId: string
  /** In the order of their letters. Most flows have one leg. */
  legs: readonly FlowLeg[]
}

/** An answered call. Flows state what differs. */
const usualCall: Call = {
  attempted_at: '2026-03-01T12:00:00.000Z',
  account_sid: '5f6c2d0e-0000-4000-8000-000000000000',
  answered: true,
  answered_at: '2026-03-01T12:00:02.000Z',
  application_sid: null,
  call_sid: null,
  direction: 'inbound',
  duration: 20,
  from: '15550100001',
  host: '10.0.0.5',
  recording_url: null,
  remote_host: '203.0.113.7',
  service_provider_sid: null,
  sip_callid: null,
  sip_parent_callid: null,
  sip_status: 200,
  terminated_at: '2026-03-01T12:00:22.000Z',
  termination_reason: 'caller hungup',
  to: '15550100002',
  trace_id: null,
  trunk: null,
}

const parseHost = (text: string): FlowMessage['source'] => {
  const [, six, four, port] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  const address = six ?? four
  if (address === undefined) throw new Error(`${text} is not a host with a port`)
  return { address, port: Number(port) }
}

const transports = ['udp', 'tcp', 'tls'] as const

const parseMessage = (block: string, callId: string): FlowMessage => {
  const [way = '', ...lines] = block.trimEnd().split('\n')
  const [seconds = '', source = '', , destination = '', transport = 'udp', agent] = way.split(' ')
  const listed = transports.find((one) => one === transport)
  if (listed === undefined) throw new Error(`${transport} is not a transport`)
  const text = lines.join('\r\n').replaceAll('$ID', callId)
  const end = text.indexOf('\r\n\r\n')
  const [head, body] = end < 0 ? [text, ''] : [text.slice(0, end), `${text.slice(end + 4)}\r\n`]
  const length = /^(?:content-length|l)[ \t]*:/im.test(head) ? '' : `\r\nContent-Length: ${Buffer.byteLength(body)}`
  return {
    seconds: Number(seconds),
    source: parseHost(source),
    destination: parseHost(destination),
    transport: listed,
    agent: agent === undefined ? undefined : Number(agent),
    text: `${head}${length}\r\n\r\n${body}`,
  }
}

const parseFinding = (text: string): ExpectedFinding => {
  const [, severity, rule, part] = /^(bad|warn|good|info) (\w+): (.+)$/.exec(text) ?? []
  if (severity === undefined || rule === undefined || part === undefined)
    throw new Error(`${text} is not severity, rule, and text`)
  return { severity, rule, text: part }
}

/** Groups the messages of a flow by the letter after the Call-ID. Messages without one are those of leg A. */
const parseLegs = (blocks: readonly string[], callId: string): FlowLeg[] => {
  const getName = (block: string) => /\$ID\.([A-Z])\b/.exec(block)?.[1] ?? 'A'
  return [...new Set(blocks.map(getName))].toSorted().map((name) => ({
    name,
    callId: name === 'A' ? callId : `${callId}.${name}`,
    messages: blocks.filter((block) => getName(block) === name).map((block) => parseMessage(block, callId)),
  }))
}

const parseFlow = (name: string, text: string): CallFlow => {
  const [head = '', ...blocks] = text.split(/^@ /m)
  const stated = [...head.matchAll(/^# (title|source|call|verdict|evidence|own|finding|absent): (.+)$/gm)].map(
    ([, key, value = '']) => ({
      key,
      value,
    }),
  )
  const find = (key: string) => stated.find((one) => one.key === key)?.value
  const callId = `${name.replaceAll('/', '-')}@flows.example`
  const legs = parseLegs(blocks, callId)
  const own = legs.find((leg) => leg.name === (find('own') ?? 'A'))
  if (own === undefined) throw new Error(`${name} has no leg ${find('own')}`)
  return {
    name,
    title: find('title') ?? '',
    source: find('source') ?? '',
    isHealthy: name.startsWith('healthy/'),
    call: { ...usualCall, ...(JSON.parse(find('call') ?? '{}') as Partial<Call>), sip_callid: own.callId },
    verdict: find('verdict'),
    evidence: stated.filter(({ key }) => key === 'evidence').map(({ value }) => value),
    findings: stated.filter(({ key }) => key === 'finding').map(({ value }) => parseFinding(value)),
    absent: stated.filter(({ key }) => key === 'absent').map(({ value }) => value),
    messages: blocks.map((block) => parseMessage(block, callId)),
    callId,
    legs,
  }
}

/** Returns all call flows of the corpus. */
export const readCallFlows = (): CallFlow[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sip'))
    .toSorted()
    .map((path) => parseFlow(path.slice(0, -'.sip'.length), readFileSync(`${folder}${path}`, 'utf8')))

/** Time of the first message of each flow, in milliseconds since the Unix epoch. Signatures state when they were made. */
export const startOfFlows = Date.parse(usualCall.attempted_at)

/** The IP protocols of the transports, as sofia-sip reports them. */
export const ipProtocols: Readonly<Record<FlowMessage['transport'], number>> = { udp: 17, tcp: 6, tls: 22 }

/** Returns the capture of a flow as the API returns it. */
export const toFlowCapture = ({ messages }: Pick<CallFlow, 'messages'>) => ({
  total: messages.length,
  data: {
    messages: messages.map(({ seconds, source, destination, transport, agent, text }, index) => ({
      id: index,
      micro_ts: startOfFlows * 1000 + Math.round(seconds * 1e6),
      srcIp: source.address,
      srcPort: source.port,
      dstIp: destination.address,
      dstPort: destination.port,
      protocol: ipProtocols[transport],
      ...(agent === undefined ? {} : { captureId: String(agent) }),
      raw: text,
    })),
  },
})

/** Returns the findings about a flow. */
export const analyzeFlow = ({ legs }: Pick<CallFlow, 'legs'>): AnalyzedSip =>
  analyzeCaptures(legs.map(({ name, messages }) => ({ name, capture: toFlowCapture({ messages }) })))

type NamedFinding = AnalyzedSip['findings'][number]

/** Returns whether a finding is above a note. */
export const isProblem = ({ severity }: Pick<ExpectedFinding, 'severity'>): boolean =>
  severity === 'bad' || severity === 'warn'

const agrees = (expected: ExpectedFinding, finding: NamedFinding): boolean =>
  finding.severity === expected.severity && finding.rule === expected.rule && finding.text.includes(expected.text)

/**
 * Returns the findings that a flow lacks, and those that it must not have: problems that its file does not state, and absent
 * sentences. Both are empty if all is right.
 */
export const findDeviations = (flow: CallFlow, { findings }: AnalyzedSip) => ({
  missing: flow.findings.filter((expected) => !findings.some((finding) => agrees(expected, finding))),
  unexpected: findings.filter(
    (finding) =>
      (isProblem(finding) && !flow.findings.some((expected) => agrees(expected, finding))) ||
      flow.absent.some((part) => finding.text.includes(part)),
  ),
})

const judge = ({ call }: CallFlow, analyzed: AnalyzedSip) => judgeCall(call, explainSip(call, analyzed))

/** Returns the verdict about a flow in the notation of its file. */
export const judgeFlow = (flow: CallFlow, analyzed: AnalyzedSip): string => {
  const { tone, cause, title } = judge(flow, analyzed)
  return `${tone} ${cause?.side ?? 'none'}: ${title}`
}

/** Returns the evidence that the file of a flow states, and the verdict lacks. */
export const findMissingEvidence = (flow: CallFlow, analyzed: AnalyzedSip): readonly string[] => {
  const { cause } = judge(flow, analyzed)
  return flow.evidence.filter((part) => ![cause?.detail, cause?.next].some((text) => text?.includes(part)))
}

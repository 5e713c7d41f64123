import type { Endpoint, ReceivedMessage } from '../call-data/captures/captures.ts'
import { storeSpans } from '../call-data/traces/trace-parts.ts'
import { toResponseSpans } from '../call-data/traces/trace-response.ts'
import { createAudioSdp } from '../lib/sdp.ts'
import { createAgentDialog } from './agent-dialog.ts'
import { getScripts } from './agent-scripts.ts'
import { recordCall } from './call-recording.ts'
import type { CallFacts } from './call-records.ts'
import { callSpans, createBotDialog, createCompanyDialog, type DialedLeg, type PlannedSpan } from './call-spans.ts'
import type { DemoContext } from './demo-context.ts'
import { withOneWayAudio } from './faulty-calls.ts'
import { createRandom, type Random } from './seeded-random.ts'

/** Demo data of individual calls: traces, log lines, and SIP messages. */

/** Returns whether a call gets detailed data: answered inbound calls offer the most to see. */
export const hasDetails = ({ direction, answered, seconds }: CallFacts): boolean =>
  direction === 'inbound' && answered && seconds >= 15

/** Times of a trace are relative to the answer of the call. */
const getAnswerTime = ({ at, ringing }: CallFacts): number => at + ringing

const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds)}000000`

const otlpValue = (value: string | number | boolean) => {
  if (typeof value === 'boolean') return { boolValue: value }
  return typeof value === 'number' ? { doubleValue: value } : { stringValue: value }
}

const toSpans = (dice: Random, call: CallFacts, plannedSpans: readonly PlannedSpan[]) => {
  const ids = plannedSpans.map(() => dice.hex(16))
  return plannedSpans.map(({ name, parent, from, until, attributes, error }, position) => ({
    traceId: call.trace_id,
    spanId: ids[position],
    parentSpanId: parent === null ? '' : ids[parent],
    name,
    kind: 'SPAN_KIND_INTERNAL',
    startTimeUnixNano: nanoseconds(getAnswerTime(call) + from),
    endTimeUnixNano: nanoseconds(getAnswerTime(call) + until),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) })),
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  }))
}

const featureServer = 'jambonz-feature-server'

/** Returns what OpenTelemetry exporters send for a call: `resourceSpans` of OTLP in JSON, one per component. */
export const toResourceSpans = (dice: Random, call: CallFacts, plannedSpans: readonly PlannedSpan[]) => {
  const spans = toSpans(dice, call, plannedSpans)
  const getService = (position: number): string => plannedSpans[position]?.service ?? featureServer
  return [...new Set(plannedSpans.map(({ service = featureServer }) => service))].map((service) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        scope: { name: service === featureServer ? 'jambonz' : service },
        spans: spans.filter((_, position) => getService(position) === service),
      },
    ],
  }))
}

export const toLogLines = (call: CallFacts, plannedSpans: readonly PlannedSpan[]): string[] =>
  plannedSpans.map(({ name, from, until, error }) =>
    JSON.stringify({
      level: error === undefined ? (name.startsWith('verb:config') ? 20 : 30) : 50,
      time: getAnswerTime(call) + from,
      callSid: call.call_sid,
      callId: call.sip_callid,
      ms: until - from,
      msg: error === undefined ? name : `${name}: ${error}`,
    }),
  )

/**
 * Returns the messages from INVITE to BYE, as a capture agent at the edge of the network sees them (RFC 3261 §24.2).
 */
export const toSipMessages = (call: CallFacts): ReceivedMessage[] => {
  const { from, to, sip_callid, direction, host, remote_host, at, seconds, reason } = call
  const [remote, local] = [remote_host, host].map((address): Endpoint => ({ address, port: 5060 })) as [
    Endpoint,
    Endpoint,
  ]
  const [callerEnd, calledEnd] = direction === 'inbound' ? [remote, local] : [local, remote]
  const caller = `<sip:${from}@${callerEnd.address}>;tag=${sip_callid.slice(0, 8)}`
  const called = `<sip:${to}@${calledEnd.address}>`
  const answered = `${called};tag=${sip_callid.slice(8, 16)}`
  const isEndedByCaller = reason === 'caller hungup'
  const message = (
    milliseconds: number,
    isByCaller: boolean,
    start: string,
    [number, method]: readonly [number, string],
    body = '',
  ): ReceivedMessage => {
    const [source, destination] = isByCaller ? [callerEnd, calledEnd] : [calledEnd, callerEnd]
    const isOfCaller = method === 'BYE' ? isEndedByCaller : true
    const requestSender = start.startsWith('SIP/2.0') ? destination : source
    const lines = [
      start,
      `Via: SIP/2.0/UDP ${requestSender.address}:${requestSender.port};branch=z9hG4bK${method}${number}`,
      `From: ${isOfCaller ? caller : answered}`,
      `To: ${start.startsWith('INVITE') || start.includes(' 100 ') ? called : isOfCaller ? answered : caller}`,
      `Call-ID: ${sip_callid}`,
      `CSeq: ${number} ${method}`,
      `Contact: <sip:${source.address}:${source.port}>`,
      ...(body ? ['Content-Type: application/sdp'] : []),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ]
    const content = Buffer.from(lines.join('\r\n'))
    return { sip_callid, method, at: milliseconds * 1000, transport: 17, source, destination, content }
  }
  const endedAt = getAnswerTime(call) + seconds * 1000
  const uri = `sip:${to}@${calledEnd.address} SIP/2.0`
  const ended = isEndedByCaller ? uri : `sip:${from}@${callerEnd.address} SIP/2.0`
  return [
    message(at, true, `INVITE ${uri}`, [1, 'INVITE'], createAudioSdp(callerEnd.address, 20_000, [0, 8, 101])),
    message(at + 4, false, 'SIP/2.0 100 Trying', [1, 'INVITE']),
    message(at + call.rings, false, 'SIP/2.0 180 Ringing', [1, 'INVITE']),
    message(
      getAnswerTime(call),
      false,
      'SIP/2.0 200 OK',
      [1, 'INVITE'],
      createAudioSdp(calledEnd.address, 40_000, [0, 101]),
    ),
    message(getAnswerTime(call) + 35, true, `ACK ${uri}`, [1, 'ACK']),
    message(endedAt, isEndedByCaller, `BYE ${ended}`, [2, 'BYE']),
    message(endedAt + 30, !isEndedByCaller, 'SIP/2.0 200 OK', [2, 'BYE']),
  ]
}

/** Returns the outbound leg as the trace of the inbound call contains it. */
const toDialedLeg = (call: CallFacts): { dialled?: DialedLeg } => {
  const { dialled } = call
  if (dialled === undefined) return {}
  const { call_sid, from, to, sip_status } = dialled
  const since = (instant: number): number => instant - getAnswerTime(call)
  const over_at = since(getAnswerTime(dialled) + dialled.seconds * 1000)
  const times = { at: since(dialled.at), rings_at: since(dialled.at + dialled.rings), over_at }
  return { dialled: { call_sid, from, to, sip_status, ...times } }
}

/** Plans the spans of a call with a voice bot, or of a call that is forwarded. */
export const planSpans = (dice: Random, call: CallFacts, company?: string): PlannedSpan[] => {
  const { dialled: _dialled, ...facts } = call
  const spanned = { ...facts, ...toDialedLeg(call), application_sid: dice.uuid(), recorded: true }
  return callSpans(dice, spanned, company === undefined ? undefined : createBotDialog(createCompanyDialog(company)))
}

/** Plans the spans of a recorded call, in which a caller talks to a voice agent. */
const planAgentSpans = (call: CallFacts, company: string, turn: number): PlannedSpan[] => {
  const dice = createRandom(call.at)
  const { dialled: _dialled, ...facts } = call
  const spanned = { ...facts, application_sid: dice.uuid(), recorded: true, answeredAt: getAnswerTime(call) }
  const scripts = getScripts(company)
  const script = scripts[turn % scripts.length]
  return callSpans(dice, spanned, script && createAgentDialog(script, company))
}

/**
 * Stores traces, log lines, SIP messages, and recordings of calls.
 * @param companies the names of the accounts, which their voice agents say
 */
export const fillCallData = async (
  { services, sinks, progress }: DemoContext,
  calls: readonly CallFacts[],
  companies: ReadonlyMap<string, string>,
): Promise<void> => {
  const { traces, logs, captures } = sinks
  const dice = createRandom(calls.length)
  const turns = new Map<string, number>()
  for (const [position, call] of calls.entries()) {
    const company = companies.get(call.account_sid)
    let plannedSpans = planSpans(dice, call, company)
    let resourceSpans = toResourceSpans(dice, call, plannedSpans)
    if (call.recording_url !== undefined && company !== undefined) {
      // Replaces the spans after they were planned, so that the data of the other calls does not depend on it.
      const turn = turns.get(company) ?? 0
      plannedSpans = planAgentSpans(call, company, turn)
      resourceSpans = toResourceSpans(createRandom(call.at), call, plannedSpans)
      turns.set(company, turn + 1)
    }
    await storeSpans(traces, call.trace_id, toResponseSpans(resourceSpans).traces.get(call.trace_id) ?? [])
    await logs.store(toLogLines(call, plannedSpans).map((text) => ({ call_id: call.call_sid, text })))
    await captures.store(withOneWayAudio(call, toSipMessages(call)))
    if (call.dialled?.answered) await captures.store(toSipMessages(call.dialled))
    if (call.recording_url !== undefined) await recordCall(services, call, plannedSpans)
    progress('traces', position + 1, calls.length)
  }
}

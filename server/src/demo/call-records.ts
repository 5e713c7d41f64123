import { hourMs } from '@patchbay/contract/shared/durations'
import { phoneNumber, trunks } from './names.ts'
import type { Random } from './seeded-random.ts'

/**
 * Demo call records in the format that the components of jambonz write: InfluxDB line protocol
 * (docs/reference/platform-api/call-records.md#influxdb).
 */

export interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

export interface DemoCall extends CallOwner {
  call_sid: string
  /** Time of the attempt, in epoch milliseconds. */
  at: number
}

/** Relative number of calls per hour of the day, UTC. Most are made during office hours. */
const weightByHour = [1, 1, 1, 1, 1, 2, 4, 8, 16, 22, 24, 23, 18, 20, 23, 24, 22, 18, 12, 8, 6, 4, 2, 1]

const getWeight = (at: number): number => {
  const day = new Date(at).getUTCDay()
  const weight = weightByHour[Math.floor(at / hourMs) % 24] ?? 1
  return day === 0 || day === 6 ? weight / 4 : weight
}

/** Generates `count` times (epoch milliseconds), oldest first, distributed according to the weights of the hours. */
export function* callTimes(dice: Random, count: number, from: number, until: number): Generator<number> {
  const hours = Array.from({ length: Math.max(1, Math.ceil((until - from) / hourMs)) }, (_, position) => {
    const start = from + position * hourMs
    const length = Math.min(hourMs, until - start)
    return { start, length, weight: (getWeight(start) * length) / hourMs }
  })
  const totalWeight = hours.reduce((sum, { weight }) => sum + weight, 0)
  let position = 0
  let before = 0
  for (let call = 0; call < count; call += 1) {
    const weightSum = ((call + dice.roll()) / count) * totalWeight
    for (; position < hours.length - 1 && before + (hours[position]?.weight ?? 0) < weightSum; position += 1)
      before += hours[position]?.weight ?? 0
    const { start, length, weight } = hours[position] ?? { start: from, length: 0, weight: 1 }
    yield Math.floor(start + Math.min(0.999, (weightSum - before) / weight) * length)
  }
}

const failures = [
  { status: 487, reason: 'caller abandoned' },
  { status: 486, reason: 'failed' },
  { status: 404, reason: 'failed' },
  { status: 480, reason: 'failed' },
  { status: 503, reason: 'failed' },
]

const escapeTag = (tag: string): string => tag.replaceAll(/[ ,=]/g, (character) => `\\${character}`)

/** Returns nanoseconds since the epoch, at a random position within a millisecond. */
const toNanoseconds = (dice: Random, milliseconds: number): string =>
  `${milliseconds}${String(dice.below(1_000_000)).padStart(6, '0')}`

/** Details of a demo call. Times are epoch milliseconds. */
export interface CallFacts extends DemoCall {
  direction: 'inbound' | 'outbound'
  answered: boolean
  /** Milliseconds from the attempt to the answer, and to the first ringing. */
  ringing: number
  rings: number
  /** Seconds from the answer to the end. */
  seconds: number
  from: string
  to: string
  /** IP addresses of the SBC and of the remote SIP peer. */
  host: string
  remote_host: string
  trunk: string
  sip_callid: string
  sip_status: number
  reason: string
  trace_id: string
  /** URL of the recording. Absent if the call was not recorded. */
  recording_url?: string
  /** The outbound leg of a forwarded call. That leg refers to the inbound call by its Call-ID. */
  dialled?: CallFacts
  sip_parent_callid?: string
}

export const callFacts = (dice: Random, call: DemoCall): CallFacts => {
  const direction = dice.roll() < 0.62 ? 'inbound' : 'outbound'
  const answered = dice.roll() < 0.81
  const ringing = 1000 + dice.below(14_000)
  const rings = 150 + dice.below(800)
  const seconds = answered ? Math.ceil(-Math.log(1 - dice.roll()) * 140) : 0
  const failure = dice.pick(failures)
  const host = `10.0.0.${5 + dice.below(3)}`
  return {
    ...call,
    direction,
    answered,
    ringing,
    rings,
    seconds,
    host,
    trunk: dice.pick(trunks),
    from: phoneNumber(dice),
    remote_host: `203.0.113.${dice.below(250)}`,
    sip_callid: `${dice.hex(16)}@${host}`,
    sip_status: answered ? 200 : failure.status,
    reason: answered ? dice.pick(['caller hungup', 'called party hungup']) : failure.reason,
    to: phoneNumber(dice),
    trace_id: dice.hex(32),
  }
}

export const callLine = (dice: Random, call: CallFacts): string => {
  const { account_sid, service_provider_sid, at, answered, ringing, seconds, host } = call
  const tags = `direction=${call.direction},host=${host},trunk=${escapeTag(call.trunk)},service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=${answered}`
  const fields = [
    ...(answered ? [`answered_at=${at + ringing}`] : []),
    `call_sid="${call.call_sid}"`,
    `duration=${seconds}`,
    `from="${call.from}"`,
    ...(call.recording_url === undefined ? [] : [`recording_url="${call.recording_url}"`]),
    `remote_host="${call.remote_host}"`,
    `sip_callid="${call.sip_callid}"`,
    ...(call.sip_parent_callid === undefined ? [] : [`sip_parent_callid="${call.sip_parent_callid}"`]),
    `sip_status=${call.sip_status}`,
    `terminated_at=${at + ringing + seconds * 1000}`,
    `termination_reason="${call.reason}"`,
    `to="${call.to}"`,
    `trace_id="${call.trace_id}"`,
  ]
  return `cdrs,${tags} ${fields.join(',')} ${toNanoseconds(dice, at)}`
}

interface AlertKind {
  type: string
  message: string
  vendor?: string
  detail?: string
  /** Set if the alert does not refer to a call. `provider` alerts name no account. */
  owner?: 'account' | 'provider'
}

const alertKinds: readonly AlertKind[] = [
  { type: 'webhook-failure', message: 'https://hooks.example.com/call returned 503' },
  { type: 'webhook-connection-failure', message: 'failed to connect to https://hooks.example.com/status' },
  { type: 'no-carrier', message: 'outbound call failure: no carrier was found to place the call' },
  { type: 'invalid-app-payload', message: 'https://hooks.example.com/call return invalid app payload' },
  {
    type: 'tts-failure',
    message: 'text to speech request to elevenlabs (label: marketing) failed: quota exceeded',
    vendor: 'elevenlabs',
    detail: 'quota exceeded',
  },
  { type: 'no-stt', message: 'speech-to-text credentials for deepgram have not been provisioned', vendor: 'deepgram' },
  { type: 'play-url-notfound', message: 'The file at https://media.example.com/greeting.mp3 was not found' },
  {
    type: 'account-call-limit',
    message: 'account call limit 50 exceeded, consider upgrading your plan',
    owner: 'account',
  },
  {
    type: 'service-provider-device-limit',
    message: 'service provider limit of 500 registered devices exceeded',
    owner: 'provider',
  },
]

/** Returns an alert about a call, an account, or a provider. */
export const alertLine = (dice: Random, { account_sid, service_provider_sid, call_sid, at }: DemoCall): string => {
  const { type, message, vendor, detail, owner } = dice.pick(alertKinds)
  const tags = [
    `alert_type=${type}`,
    `service_provider_sid=${service_provider_sid}`,
    ...(owner === 'provider' ? [] : [`account_sid=${account_sid}`]),
    ...(vendor ? [`vendor=${vendor}`] : []),
  ]
  const fields = [
    `message="${message}"`,
    ...(detail ? [`detail="${detail}"`] : []),
    ...(owner ? [] : [`target_sid="${call_sid}"`]),
  ]
  return `alerts,${tags.join(',')} ${fields.join(',')} ${toNanoseconds(dice, at)}`
}

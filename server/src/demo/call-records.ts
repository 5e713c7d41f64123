import type { Random } from './seeded-random.ts'
import { phoneNumber, trunks } from './names.ts'

/** Call data as the platform's components write it: InfluxDB line protocol (api/4-calls-and-hosted.md §1.3, §1.5). */

export interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

export interface DemoCall extends CallOwner {
  call_sid: string
  /** when it was attempted, epoch milliseconds */
  at: number
}

const hour = 3_600_000

/** How busy an hour of the day is, UTC: offices call by day. */
const byHour = [1, 1, 1, 1, 1, 2, 4, 8, 16, 22, 24, 23, 18, 20, 23, 24, 22, 18, 12, 8, 6, 4, 2, 1]

const busyness = (at: number): number => {
  const day = new Date(at).getUTCDay()
  const weight = byHour[Math.floor(at / hour) % 24] ?? 1
  return day === 0 || day === 6 ? weight / 4 : weight
}

/** `count` instants (epoch milliseconds), oldest first, spread as the hours between are busy. */
export function* callTimes(dice: Random, count: number, from: number, until: number): Generator<number> {
  const hours = Array.from({ length: Math.max(1, Math.ceil((until - from) / hour)) }, (_, position) => {
    const start = from + position * hour
    const length = Math.min(hour, until - start)
    return { start, length, weight: (busyness(start) * length) / hour }
  })
  const whole = hours.reduce((sum, { weight }) => sum + weight, 0)
  let position = 0
  let before = 0
  for (let call = 0; call < count; call += 1) {
    const weightSum = ((call + dice.roll()) / count) * whole
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

const escaped = (tag: string): string => tag.replaceAll(/[ ,=]/g, (character) => `\\${character}`)

/** Nanoseconds since the epoch, at some place in a millisecond. */
const instantIn = (dice: Random, milliseconds: number): string =>
  `${milliseconds}${String(dice.below(1_000_000)).padStart(6, '0')}`

/** How a call went. Instants are epoch milliseconds. */
export interface CallFacts extends DemoCall {
  direction: 'inbound' | 'outbound'
  answered: boolean
  /** milliseconds from the attempt to the answer, and to the first ringing */
  ringing: number
  rings: number
  /** from answer to end */
  seconds: number
  from: string
  to: string
  /** the address of the platform, and of the far side */
  host: string
  remote_host: string
  trunk: string
  sip_callid: string
  sip_status: number
  reason: string
  trace_id: string
  /** where it was recorded */
  recording_url?: string
  /** the leg that was made of this one, and of such a leg the Call-ID of the one it was made of */
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
  const tags = `direction=${call.direction},host=${host},trunk=${escaped(call.trunk)},service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=${answered}`
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
  return `cdrs,${tags} ${fields.join(',')} ${instantIn(dice, at)}`
}

interface AlertKind {
  type: string
  message: string
  vendor?: string
  detail?: string
  /** of no single call, and of the provider where it says so */
  of?: 'account' | 'provider'
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
    of: 'account',
  },
  {
    type: 'service-provider-device-limit',
    message: 'service provider limit of 500 registered devices exceeded',
    of: 'provider',
  },
]

/** What went wrong on a call, or while there was none. */
export const alertLine = (dice: Random, { account_sid, service_provider_sid, call_sid, at }: DemoCall): string => {
  const { type, message, vendor, detail, of } = dice.pick(alertKinds)
  const tags = [
    `alert_type=${type}`,
    `service_provider_sid=${service_provider_sid}`,
    ...(of === 'provider' ? [] : [`account_sid=${account_sid}`]),
    ...(vendor ? [`vendor=${vendor}`] : []),
  ]
  const fields = [
    `message="${message}"`,
    ...(detail ? [`detail="${detail}"`] : []),
    ...(of ? [] : [`target_sid="${call_sid}"`]),
  ]
  return `alerts,${tags.join(',')} ${fields.join(',')} ${instantIn(dice, at)}`
}

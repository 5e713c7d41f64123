import { randomUUID } from 'node:crypto'
import { exportCall } from '@patchbay/testkit/calls/traced-call'

/** Call records as the platform's components write them: InfluxDB line protocol over HTTP. */
export interface WrittenCall {
  call_sid: string
  attempted_at: number
  /** Left out by default, as by platforms that do not report it. */
  answered_at?: number
  /** A second after the attempt by default. */
  terminated_at?: number
  direction: 'inbound' | 'outbound'
  answered: boolean
  from: string
  to: string
  duration: number
  /** Address of the side that is not ours. */
  remote_host: string
  trace_id: string
  /** Final SIP status. */
  sip_status: number
  trunk: string
  recording_url?: string
  /** Derived from the SID by default. */
  sip_callid?: string
  sip_parent_callid?: string
  application_sid?: string
  /** Written by newer platforms. */
  billing?: { cost: number; rate: number; billed_seconds: number }
}

const toBillingFields = ({ billing }: WrittenCall): string =>
  Object.entries(billing ?? {})
    .map(([name, value]) => `${name}=${value},`)
    .join('')

export const aCall = (more: Partial<WrittenCall> = {}): WrittenCall => ({
  call_sid: randomUUID(),
  attempted_at: Date.now() - 1000,
  direction: 'inbound',
  answered: true,
  from: '15083084809',
  to: '18882349999',
  duration: 45,
  remote_host: '3.3.3.3',
  trace_id: '0'.repeat(32),
  sip_status: more.answered === false ? 487 : 200,
  trunk: 'my trunk',
  ...more,
})

const toLine = (account_sid: string, service_provider_sid: string, call: WrittenCall): string =>
  `cdrs,direction=${call.direction},host=10.0.0.5,trunk=${call.trunk.replaceAll(' ', '\\ ')},service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=${call.answered}` +
  ` call_sid="${call.call_sid}",duration=${call.answered ? call.duration : 0},from="${call.from}",to="${call.to}",${call.recording_url ? `recording_url="${call.recording_url}",` : ''}remote_host="${call.remote_host}",` +
  `sip_callid="${call.sip_callid ?? `sip-${call.call_sid}`}",${call.sip_parent_callid ? `sip_parent_callid="${call.sip_parent_callid}",` : ''}${call.application_sid ? `application_sid="${call.application_sid}",` : ''}${toBillingFields(call)}sip_status=${call.sip_status},${call.answered_at ? `answered_at=${call.answered_at},` : ''}terminated_at=${call.terminated_at ?? call.attempted_at + 1000},termination_reason="caller hungup",` +
  `trace_id="${call.trace_id}" ${call.attempted_at}000000`

export interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

const writeLines = async (intakePort: number, db: 'cdrs' | 'alerts', lines: readonly string[]): Promise<void> => {
  const url = `http://127.0.0.1:${intakePort}/write?db=${db}&precision=n`
  const answer = await fetch(url, { method: 'POST', body: lines.join('\n') })
  if (answer.status !== 204) throw new Error(`${answer.status} ${await answer.text()}`)
}

export const writeCalls = (
  intakePort: number,
  { account_sid, service_provider_sid }: CallOwner,
  calls: readonly WrittenCall[],
): Promise<void> =>
  writeLines(
    intakePort,
    'cdrs',
    calls.map((call) => toLine(account_sid, service_provider_sid, call)),
  )

/** Alerts as the platform's components write them. */
export interface WrittenAlert {
  alert_type: string
  message: string
  at: number
  vendor?: string
  target_sid?: string
}

export const anAlert = (more: Partial<WrittenAlert> = {}): WrittenAlert => ({
  alert_type: 'webhook-failure',
  message: 'https://example.org returned 503',
  at: Date.now() - 1000,
  ...more,
})

/** Writes alerts of the account, or of the service provider if there is no account. */
export const writeAlerts = (
  intakePort: number,
  { account_sid, service_provider_sid }: Omit<CallOwner, 'account_sid'> & { account_sid?: string },
  alerts: readonly WrittenAlert[],
): Promise<void> => {
  const owner = `service_provider_sid=${service_provider_sid}${account_sid ? `,account_sid=${account_sid}` : ''}`
  const lines = alerts.map(({ alert_type, message, at, vendor, target_sid }) => {
    const tags = `alert_type=${alert_type},${owner}${vendor ? `,vendor=${vendor}` : ''}`
    return `alerts,${tags} message="${message}"${target_sid ? `,target_sid="${target_sid}"` : ''} ${at}000000`
  })
  return writeLines(intakePort, 'alerts', lines)
}

interface TracedAt {
  intakePort: number
  otlpPort: number
}

/** Writes a voice bot call with its trace, like the platform's components. */
export const writeTracedCall = async (
  { intakePort, otlpPort }: TracedAt,
  owner: CallOwner,
  more: Partial<WrittenCall> = {},
): Promise<WrittenCall> => {
  const call = aCall(more)
  const url = `http://127.0.0.1:${otlpPort}`
  const { call_sid, duration: seconds } = call
  const traced = { ...call, trace_id: await exportCall({ url, ...owner, call_sid, seconds, at: call.attempted_at }) }
  await writeCalls(intakePort, owner, [traced])
  return traced
}

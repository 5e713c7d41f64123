import { exportCall } from '@patchbay/testkit/traced-call'
import { randomUUID } from 'node:crypto'

/** Call records as the platform's components write them: InfluxDB line protocol over HTTP. */
export interface WrittenCall {
  call_sid: string
  attempted_at: number
  direction: 'inbound' | 'outbound'
  answered: boolean
  from: string
  to: string
  duration: number
  trace_id: string
}

export const aCall = (more: Partial<WrittenCall> = {}): WrittenCall => ({
  call_sid: randomUUID(),
  attempted_at: Date.now() - 1000,
  direction: 'inbound',
  answered: true,
  from: '15083084809',
  to: '18882349999',
  duration: 45,
  trace_id: '0'.repeat(32),
  ...more,
})

const lineOf = (account_sid: string, service_provider_sid: string, call: WrittenCall): string =>
  `cdrs,direction=${call.direction},host=10.0.0.5,trunk=my\\ trunk,service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=${call.answered}` +
  ` call_sid="${call.call_sid}",duration=${call.answered ? call.duration : 0},from="${call.from}",to="${call.to}",remote_host="3.3.3.3",` +
  `sip_callid="sip-${call.call_sid}",sip_status=${call.answered ? 200 : 487},terminated_at=${call.attempted_at + 1000},termination_reason="caller hungup",` +
  `trace_id="${call.trace_id}" ${call.attempted_at}000000`

interface CallPlace {
  account_sid: string
  service_provider_sid: string
}

export const writeCalls = async (
  intakePort: number,
  { account_sid, service_provider_sid }: CallPlace,
  calls: readonly WrittenCall[],
): Promise<void> => {
  const body = calls.map((call) => lineOf(account_sid, service_provider_sid, call)).join('\n')
  const answer = await fetch(`http://127.0.0.1:${intakePort}/write?db=cdrs&precision=n`, { method: 'POST', body })
  if (answer.status !== 204) throw new Error(`${answer.status} ${await answer.text()}`)
}

interface TracedAt {
  intakePort: number
  otlpPort: number
}

/** A call of a voice bot with its trace, as the platform's components send both. */
export const writeTracedCall = async (
  { intakePort, otlpPort }: TracedAt,
  place: CallPlace,
  more: Partial<WrittenCall> = {},
): Promise<WrittenCall> => {
  const call = aCall(more)
  const url = `http://127.0.0.1:${otlpPort}`
  const { call_sid, duration: seconds } = call
  const traced = { ...call, trace_id: await exportCall({ url, ...place, call_sid, seconds, at: call.attempted_at }) }
  await writeCalls(intakePort, place, [traced])
  return traced
}

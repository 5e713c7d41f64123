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
}

export const aCall = (more: Partial<WrittenCall> = {}): WrittenCall => ({
  call_sid: randomUUID(),
  attempted_at: Date.now() - 1000,
  direction: 'inbound',
  answered: true,
  from: '15083084809',
  to: '18882349999',
  duration: 45,
  ...more,
})

const lineOf = (account_sid: string, service_provider_sid: string, call: WrittenCall): string =>
  `cdrs,direction=${call.direction},host=10.0.0.5,trunk=my\\ trunk,service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=${call.answered}` +
  ` call_sid="${call.call_sid}",duration=${call.answered ? call.duration : 0},from="${call.from}",to="${call.to}",remote_host="3.3.3.3",` +
  `sip_callid="sip-${call.call_sid}",sip_status=${call.answered ? 200 : 487},terminated_at=${call.attempted_at + 1000},termination_reason="caller hungup",` +
  `trace_id="0123456789abcdef0123456789abcdef" ${call.attempted_at}000000`

export const writeCalls = async (
  intakePort: number,
  { account_sid, service_provider_sid }: { account_sid: string; service_provider_sid: string },
  calls: readonly WrittenCall[],
): Promise<void> => {
  const body = calls.map((call) => lineOf(account_sid, service_provider_sid, call)).join('\n')
  const answer = await fetch(`http://127.0.0.1:${intakePort}/write?db=cdrs&precision=n`, { method: 'POST', body })
  if (answer.status !== 204) throw new Error(`${answer.status} ${await answer.text()}`)
}

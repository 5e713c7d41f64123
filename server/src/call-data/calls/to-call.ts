import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRecord } from './call-record.ts'

const instantOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

/**
 * Converts a stored call to the API representation. Additional fields from newer writers are spread first, so that they
 * cannot replace known fields.
 */
export const toCall = (record: Omit<CallRecord, 'time'>, attempted_at: string): Call => ({
  ...record.extra,
  attempted_at,
  account_sid: record.account_sid,
  answered: record.answered,
  answered_at: instantOrNull(record.answered_at),
  application_sid: record.application_sid,
  billed_seconds: record.billed_seconds,
  call_sid: record.call_sid,
  cost: record.cost,
  direction: record.direction,
  duration: record.duration,
  from: record.from,
  host: record.host,
  rate: record.rate,
  recording_url: record.recording_url,
  remote_host: record.remote_host,
  service_provider_sid: record.service_provider_sid,
  sip_callid: record.sip_callid,
  sip_parent_callid: record.sip_parent_callid,
  sip_status: record.sip_status,
  terminated_at: instantOrNull(record.terminated_at),
  termination_reason: record.termination_reason,
  to: record.to,
  trace_id: record.trace_id,
  trunk: record.trunk,
})

import type { Call } from '@patchbay/contract/recent-calls'
import { callKey, truncate } from '../calls/call-key.ts'
import type { CallRecord } from '../calls/call-record.ts'
import { split, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { parseExtraFields } from '../calls/search-options.ts'
import { toCall } from '../calls/to-call.ts'

/** Conversion between call records and the rows of the table `calls`. */

/** Columns that have the same name and value in a record. */
type SameColumns = Omit<
  CallRecord,
  'time' | 'call_sid' | 'service_provider_sid' | 'answered_at' | 'terminated_at' | 'extra'
>

/** A row as ClickHouse returns it. 64-bit integers are strings. */
export interface CallRow extends SameColumns {
  attempted_at: string
  call_key: string
  has_call_sid: boolean
  service_provider_sid: string
  answered_at: string | null
  terminated_at: string | null
  extra: string
}

export interface NewCallRow extends CallRow {
  /** Milliseconds from dialing to ringing, or null if unknown. */
  post_dial_delay: number | null
}

/** All columns that a call record needs. */
export const callColumns = `account_sid, attempted_at, call_key, has_call_sid, service_provider_sid, direction, answered,
answered_at, terminated_at, duration, from, to, host, remote_host, trunk, application_sid, sip_callid,
sip_parent_callid, sip_status, termination_reason, trace_id, recording_url, cost, rate, billed_seconds, extra`

/** A row of the primary key. */
export type CallKey = Pick<CallRow, 'account_sid' | 'attempted_at' | 'call_key'>

/** The columns of the primary key, in its order, so that ClickHouse reads only the granules of the selected keys. */
export const keyColumns = 'account_sid, attempted_at, call_key'

/** Returns a text that identifies a call record. */
export const toKey = ({ account_sid, attempted_at, call_key }: CallKey): string =>
  `${account_sid}\n${attempted_at}\n${call_key}`

const toText = (value: number | null): string | null => (value === null ? null : String(value))
const toNumber = (value: string | null): number | null => (value === null ? null : Number(value))

export const toCallRow = (record: CallRecord): NewCallRow => {
  const { time, call_sid, service_provider_sid, answered_at, terminated_at, extra, ...same } = record
  return {
    ...same,
    attempted_at: String(time),
    call_key: callKey(record),
    has_call_sid: Boolean(call_sid),
    service_provider_sid: service_provider_sid ?? '',
    answered_at: toText(answered_at),
    terminated_at: toText(terminated_at),
    from: truncate(same.from),
    to: truncate(same.to),
    host: truncate(same.host),
    remote_host: truncate(same.remote_host),
    trunk: truncate(same.trunk),
    sip_callid: truncate(same.sip_callid),
    sip_parent_callid: truncate(same.sip_parent_callid),
    termination_reason: truncate(same.termination_reason),
    recording_url: truncate(same.recording_url, 1024),
    post_dial_delay: null,
    extra: Object.keys(extra).length === 0 ? '' : JSON.stringify(extra),
  }
}

export const rowToCall = (row: CallRow): Call => {
  const { attempted_at, call_key, has_call_sid, service_provider_sid, answered_at, terminated_at, extra, ...same } = row
  const { milliseconds, nanoseconds } = split(BigInt(attempted_at))
  const record = {
    ...same,
    call_sid: has_call_sid ? call_key : null,
    service_provider_sid: service_provider_sid || null,
    answered_at: toNumber(answered_at),
    terminated_at: toNumber(terminated_at),
    extra: parseExtraFields(extra || null),
  }
  return toCall(record, writeInstant(milliseconds, nanoseconds))
}

/** Call records, as the intake receives them and the stores keep them. */

/** Fields of newer writers that have no column. */
export type ExtraFields = Readonly<Record<string, string | number | boolean>>

export interface CallRecord {
  /** Time of the attempt in nanoseconds since the Unix epoch. */
  time: bigint
  account_sid: string
  service_provider_sid: string | null
  call_sid: string | null
  direction: string | null
  answered: boolean
  /** Milliseconds since the Unix epoch. */
  answered_at: number | null
  /** Milliseconds since the Unix epoch. */
  terminated_at: number | null
  /** Whole seconds from answer to end. */
  duration: number
  from: string | null
  to: string | null
  host: string | null
  remote_host: string | null
  trunk: string | null
  application_sid: string | null
  sip_callid: string | null
  sip_parent_callid: string | null
  sip_status: number | null
  termination_reason: string | null
  trace_id: string | null
  recording_url: string | null
  cost: number | null
  rate: number | null
  billed_seconds: number | null
  /** Additional fields from newer writers. */
  extra: ExtraFields
}

/** The cost that a rating engine adds to a call. The tags and the time of the point are those of the call. */
export type CallRating = Pick<
  CallRecord,
  | 'time'
  | 'account_sid'
  | 'service_provider_sid'
  | 'direction'
  | 'host'
  | 'trunk'
  | 'answered'
  | 'cost'
  | 'rate'
  | 'billed_seconds'
>

import type { ExtraFields } from '../calls/call-record.ts'

/** An alert, as the intake receives it and the stores keep it. */
export interface AlertRecord {
  /** Nanoseconds since the Unix epoch. */
  time: bigint
  account_sid: string | null
  service_provider_sid: string | null
  alert_type: string
  message: string
  detail: string | null
  target_sid: string | null
  vendor: string | null
  extra: ExtraFields
}

import type { Alert } from '@patchbay/contract/alerts'
import type { AlertRecord } from '../ingest/parse-call-point.ts'

/** A stored alert as it is answered. What newer writers add comes first, so that none of it hides a member that is known. */
export const toAlert = (record: Omit<AlertRecord, 'time'>, time: string): Alert => ({
  ...record.extra,
  time,
  account_sid: record.account_sid,
  alert_type: record.alert_type,
  detail: record.detail,
  message: record.message,
  service_provider_sid: record.service_provider_sid,
  target_sid: record.target_sid,
  vendor: record.vendor,
})

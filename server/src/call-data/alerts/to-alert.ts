import type { Alert } from '@patchbay/contract/alerts'
import type { AlertRecord } from './alert-record.ts'

/**
 * Converts a stored alert to the API representation. Additional fields from newer writers are spread first, so that
 * they cannot replace known fields.
 */
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

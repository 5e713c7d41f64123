import type { AlertObject } from '@patchbay/rules/alerts/alert-objects'

/** The screen where the cause of an alert is repaired. */
export type RepairTarget = 'carrier' | 'carriers' | 'speech' | 'applications' | 'provider' | 'account'

/** Returns where the cause of an alert is repaired. */
export const findRepairTarget = (alert_type: string, { object_kind }: AlertObject): RepairTarget => {
  if (object_kind === 'carrier') return 'carrier'
  if (object_kind === 'vendor') return 'speech'
  if (object_kind === 'url') return 'applications'
  if (alert_type === 'no-carrier') return 'carriers'
  return object_kind === 'service_provider' ? 'provider' : 'account'
}

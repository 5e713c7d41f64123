import type { AlertRecord } from '../intake/call-point.ts'

/** Alerts: distinct ones of one moment are all kept, a repeated one is stored once. */
export interface Alerts {
  store(records: readonly AlertRecord[]): Promise<void>
}

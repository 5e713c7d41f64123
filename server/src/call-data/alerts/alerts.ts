import type { Alert } from '@patchbay/contract/alerts'
import type { Database } from '../../database/engine.ts'
import type { PageSearch, SearchContext } from '../calls/search-options.ts'
import type { AlertRecord } from './alert-record.ts'

/** Filters of an alert search. */
export interface AlertSearch extends PageSearch {
  /** The stored type, such as `webhook-failure`. */
  alert_type?: string
}

/** Identifies an alert. */
export interface AlertKey {
  /** Milliseconds since the Unix epoch. */
  raised_at: number
  /** Nanoseconds within the millisecond. */
  raised_ns: number
  /** SHA-256 of the alert without its time. */
  fingerprint: string
}

/** Alert search. Results are sorted from newest to oldest and come with the total count of matches. */
export interface Alerts {
  /** Returns a page of matches and their total number. */
  search(search: AlertSearch, searcher?: SearchContext): Promise<{ total: number; alerts: Alert[] }>
}

/** Stores alerts. Different alerts with the same timestamp are all stored; a repeated alert is stored once. */
export interface AlertSink {
  /** Stores alerts in one transaction. */
  store(records: readonly AlertRecord[]): Promise<void>
}

/**
 * Returns the alerts that an earlier version has moved out of the database, and whether none is left. Only one process may
 * do it at a time, which `onProgress` reports every few seconds.
 */
export type ReturnAlerts = (
  database: Database,
  onProgress: () => Promise<unknown>,
  signal: AbortSignal,
) => Promise<boolean>

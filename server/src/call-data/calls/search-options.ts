import type { ExtraFields } from './call-record.ts'

export type CallOwner = { account_sid: string } | { service_provider_sid: string }

/**
 * Owner, time range, and page of a search for calls or alerts, newest first. Times are milliseconds since the Unix
 * epoch.
 */
export interface PageSearch {
  owner: CallOwner
  /** Exclusive. */
  after?: number
  /** Inclusive. */
  from?: number
  /** Inclusive. */
  until?: number
  /** Starts at 1. */
  page: number
  pageSize: number
}

/** The tenant that searches. Searches of one tenant share a queue and are aborted when the client disconnects. */
export interface SearchContext {
  owner: string
  signal?: AbortSignal
  /**
   * True for the queries of an export that has been admitted as a whole. They wait in the queue and are never rejected.
   */
  isAdmitted?: boolean
}

/** Maximum number of running and waiting searches per tenant. */
export const maxSearchesPerTenant = 32

/** A time range in milliseconds since the Unix epoch. Both ends are inclusive. */
export interface Window {
  from: number
  until: number
}

export const allTime: Window = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }

/** Returns the time range of a search. `after` is exclusive, `from` and `until` are inclusive. */
export const toWindow = ({ after, from, until }: Pick<PageSearch, 'after' | 'from' | 'until'>): Window => ({
  from: Math.max(allTime.from, ...(after === undefined ? [] : [after + 1]), ...(from === undefined ? [] : [from])),
  until: until ?? allTime.until,
})

/** Returns the column of the owner and the sid that it must contain. */
export const ownerColumn = (owner: CallOwner) =>
  'account_sid' in owner
    ? (['account_sid', owner.account_sid] as const)
    : (['service_provider_sid', owner.service_provider_sid] as const)

/** Parses the JSON column with additional fields from newer writers. */
export const parseExtraFields = (extra: string | null): ExtraFields =>
  extra === null ? {} : (JSON.parse(extra) as ExtraFields)

import type { FieldValue } from '../ingest/line-protocol.ts'

export type CallOwner = { account_sid: string } | { service_provider_sid: string }

/** Whose calls or alerts, of which time, and which page, newest first. Instants are epoch milliseconds. */
export interface PageSearch {
  owner: CallOwner
  /** after this instant */
  after?: number
  /** at or after */
  from?: number
  /** at or before */
  until?: number
  /** 1-based */
  page: number
  pageSize: number
}

/** Who searches: searches of one owner wait for each other, and end when their caller is gone. */
export interface SearchContext {
  owner: string
  signal?: AbortSignal
  /** The search is one of many of an export that was admitted as a whole: it waits, and is not refused. */
  isAdmitted?: boolean
}

/** Searches of one owner that may be at work or waiting. */
export const maxSearchesPerTenant = 32

/** Both ends included, epoch milliseconds. */
export interface Window {
  from: number
  until: number
}

export const allTime: Window = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }

export const toWindow = ({ after, from, until }: Pick<PageSearch, 'after' | 'from' | 'until'>): Window => ({
  from: Math.max(allTime.from, ...(after === undefined ? [] : [after + 1]), ...(from === undefined ? [] : [from])),
  until: until ?? allTime.until,
})

/** The column of its owner, and whose sid is to stand in it. */
export const ownerColumn = (owner: CallOwner) =>
  'account_sid' in owner
    ? (['account_sid', owner.account_sid] as const)
    : (['service_provider_sid', owner.service_provider_sid] as const)

/** What newer writers add, of the column that holds it as JSON. */
export const addedByWriter = (extra: string | null): Record<string, FieldValue> =>
  extra === null ? {} : (JSON.parse(extra) as Record<string, FieldValue>)

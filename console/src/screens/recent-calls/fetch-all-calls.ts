import { type CallOwner, type CallQuery, readCalls } from './queries.ts'
import { allPages } from '../../list/fetch-all-pages.ts'

/** Fetches all calls that match the filters. */
export const allCalls = (owner: CallOwner, query: CallQuery) =>
  allPages('calls', (page) => readCalls(owner, { ...query, ...page }))

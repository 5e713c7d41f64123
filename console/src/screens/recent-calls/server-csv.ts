import { fetchBinary } from '../../api/fetch-binary.ts'
import { buildUrl } from '../../api/client.ts'
import type { CallOwner, CallQuery } from './queries.ts'

/** A million rows take minutes; the server gives up after as long. */
const longestMs = 1_800_000

/**
 * Every call that the filters show, as the table that our server makes while it sends it. The browser keeps it where it
 * keeps downloads, not in the memory of the page.
 */
export const madeTable = async (
  owner: CallOwner,
  { page: _page, count: _count, ...query }: CallQuery,
): Promise<Blob> => {
  const of = 'account_sid' in owner ? 'accounts/:account_sid' : 'service-providers/:service_provider_sid'
  const address = buildUrl('', `/patchbay/${of}/recent-calls.csv`, { params: { ...owner }, query })
  return (await fetchBinary(address, { withinMs: longestMs })).blob()
}

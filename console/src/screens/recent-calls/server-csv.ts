import { fetchBinary } from '../../api/fetch-binary.ts'
import { buildUrl } from '../../api/client.ts'
import type { CallOwner, CallQuery } from './queries.ts'

/** A million rows take minutes. The server has the same time limit. */
const timeLimitMs = 1_800_000

/**
 * Downloads all calls that match the filters as CSV, which Patchbay's server streams. The browser can store the blob on
 * disk instead of in the memory of the page.
 */
export const fetchCallsCsv = async (
  owner: CallOwner,
  { page: _page, count: _count, ...query }: CallQuery,
): Promise<Blob> => {
  const ownerPath = 'account_sid' in owner ? 'accounts/:account_sid' : 'service-providers/:service_provider_sid'
  const address = buildUrl('', `/patchbay/${ownerPath}/recent-calls.csv`, { params: { ...owner }, query })
  return (await fetchBinary(address, { withinMs: timeLimitMs })).blob()
}

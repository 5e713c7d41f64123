import { fetchBinary } from '../../api/fetch-binary.ts'
import { buildUrl } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import type { CallQuery } from './queries.ts'

/** A million rows take minutes. The server has the same time limit. */
const timeLimitMs = 1_800_000

/**
 * Downloads all calls that match the filters as CSV, which Patchbay's server streams. The browser can store the blob on
 * disk instead of in the memory of the page.
 */
export const fetchCallsCsv = async (
  owner: OwnerSid,
  { page: _page, count: _count, ...query }: CallQuery,
): Promise<Blob> => {
  const ownerPath =
    owner.account_sid === undefined ? 'service-providers/:service_provider_sid' : 'accounts/:account_sid'
  const address = buildUrl('', `/patchbay/${ownerPath}/recent-calls.csv`, { params: { ...owner }, query })
  return (await fetchBinary(address, { withinMs: timeLimitMs })).blob()
}

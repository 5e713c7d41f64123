import { buildUrl } from '../api/client.ts'
import { fetchBinary } from '../api/fetch-binary.ts'
import type { OwnerSid } from '../api/record-queries.ts'

/** A million rows take minutes. The server has the same time limit. */
const timeLimitMs = 1_800_000

/** The query of a list. An export contains all pages. */
type ListQuery = Readonly<Record<string, string | undefined>>

/**
 * Downloads all rows of a list that match its filters, which Patchbay's server streams. The browser can store the blob on
 * disk instead of in the memory of the page.
 *
 * @param file name of the endpoint below the account or the service provider, such as `recent-calls.csv`
 */
export const fetchExport = async (
  owner: OwnerSid,
  file: string,
  { page: _page, count: _count, after: _after, ...query }: ListQuery,
): Promise<Blob> => {
  const ownerPath =
    owner.account_sid === undefined ? 'service-providers/:service_provider_sid' : 'accounts/:account_sid'
  const address = buildUrl('', `/patchbay/${ownerPath}/${file}`, { params: { ...owner }, query })
  return (await fetchBinary(address, { withinMs: timeLimitMs })).blob()
}

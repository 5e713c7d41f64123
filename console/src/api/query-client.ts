import { type FetchQueryOptions, QueryClient, type QueryKey, replaceEqualDeep } from '@tanstack/react-query'
import { recordVersions } from './record-versions.ts'

/**
 * Returns what a query shows after a read: the parts of the last data that are unchanged, so that nothing renders again,
 * with the version of the new data. Data of another version are new as a whole, because a form keeps the version of what
 * it began with.
 */
export const shareData = (last: unknown, data: unknown): unknown => {
  const version = recordVersions.get(Object(data))
  if (version && recordVersions.get(Object(last)) !== version) return data
  const shared: unknown = replaceEqualDeep(last, data)
  if (version) recordVersions.set(Object(shared), version)
  return shared
}

/**
 * The API client already retries reads, so a failure here is final until the user opens the screen again or presses
 * Retry. A component that mounts shows the result of the screen's own read instead of retrying. Without a network, reads
 * and writes wait until it is back. Then all displayed data is refreshed.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'online',
      retry: false,
      retryOnMount: false,
      staleTime: 5_000,
      structuralSharing: shareData,
      refetchOnWindowFocus: true,
      refetchOnReconnect: 'always',
    },
    mutations: { networkMode: 'online' },
  },
})

/** Reads a query from the server for a user who waits for it, even if the cached data is fresh. */
export const fetchLatest = <Row, Key extends QueryKey>(query: FetchQueryOptions<Row, Error, Row, Key>): Promise<Row> =>
  queryClient.fetchQuery({ ...query, staleTime: 0, meta: { ...query.meta, awaited: true } })

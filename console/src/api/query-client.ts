import { type FetchQueryOptions, type Query, QueryClient, type QueryKey } from '@tanstack/react-query'

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
      refetchOnWindowFocus: true,
      refetchOnReconnect: 'always',
    },
    mutations: { networkMode: 'online' },
  },
})

/** Reads a query from the server for a user who waits for it, even if the cached data is fresh. */
export const fetchLatest = <Row, Key extends QueryKey>(query: FetchQueryOptions<Row, Error, Row, Key>): Promise<Row> =>
  queryClient.fetchQuery({ ...query, staleTime: 0, meta: { ...query.meta, awaited: true } })

/** Sends all reads of the page again that have had no response, for example because a connection no longer works. */
export const retryPendingReads = async (): Promise<void> => {
  const isPending = (query: Query) =>
    query.isActive() && query.state.data === undefined && query.state.fetchStatus === 'fetching'
  const pending = new Set(queryClient.getQueryCache().findAll({ predicate: isPending }))
  const predicate = (query: Query) => pending.has(query)
  await queryClient.cancelQueries({ predicate })
  await queryClient.refetchQueries({ predicate })
}

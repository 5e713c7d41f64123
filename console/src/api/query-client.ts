import { type FetchQueryOptions, QueryClient, type QueryKey } from '@tanstack/react-query'

/**
 * Reads are tried again by the client of the API itself, so a failure here is final until someone asks again: who enters
 * the screen anew, or presses Retry. A part that mounts shows what the screen's own read has found. Without a network,
 * reads and writes wait until it is back, and the frame says so; then all that shows is read again.
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

/** Reads a query from the server, even if the cached data is fresh. */
export const fetchLatest = <Row, Key extends QueryKey>(query: FetchQueryOptions<Row, Error, Row, Key>): Promise<Row> =>
  queryClient.fetchQuery({ ...query, staleTime: 0 })

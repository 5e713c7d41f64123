import { QueryClient } from '@tanstack/react-query'

/** Reads are tried again by the client of the API itself, so a failure here is final until someone asks again. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
})

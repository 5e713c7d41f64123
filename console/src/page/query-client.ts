import { QueryClient } from '@tanstack/react-query'

/**
 * Reads are tried again by the client of the API itself, so a failure here is final until someone asks again: who enters
 * the screen anew, or presses Retry. A part that mounts shows what the screen's own read has found.
 */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, retryOnMount: false, staleTime: 5_000, refetchOnWindowFocus: true } },
})

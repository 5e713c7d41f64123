import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'

/** The server analyzes the recording of an hour in a few seconds. */
const analyzingMs = 2000

/** Reads the call of a link. The token of the link replaces that of a session. */
export const sharedCallQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-call', token],
    queryFn: ({ signal }) => api('GET /patchbay/shared-call', {}, { signal, token, ownFailures: true }),
    refetchInterval: ({ state }) => (state.data?.conversation?.recording?.status === 'analyzing' ? analyzingMs : false),
  })

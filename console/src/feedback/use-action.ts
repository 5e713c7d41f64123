import { useMutation, type QueryKey } from '@tanstack/react-query'
import { ApiError, errorMessage, getRequestId } from '../api/api-error.ts'
import { waitWithLimit } from '../lazy/wait-with-limit.ts'
import { queryClient } from '../api/query-client.ts'
import { toaster } from './toaster.ts'

interface ActionOptions<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** the toast that says it is done */
  done?: (result: Result, input: Input) => string
  /** The queries to read again afterwards. */
  changes?: readonly QueryKey[]
  after?: (result: Result, input: Input) => void | Promise<void>
  /** the caller shows failures itself */
  quiet?: true
}

/** The success message waits this long for displayed data to refresh. */
const refreshMs = 2000

let actedAt = 0

/** When something was last changed from here, in epoch milliseconds. */
export const lastActionAt = (): number => actedAt

/** A toast for what failed; what ends the session is said on the sign-in screen. */
export const showErrorToast = (error: unknown): void => {
  const ended = error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')
  if (!ended) toaster.failure(errorMessage(error), { requestId: getRequestId(error) })
}

/** The one wrapper of everything that changes something: one toast for what happened, one for what did not. */
export const useAction = <Input, Result>({ run, done, changes = [], after, quiet }: ActionOptions<Input, Result>) =>
  useMutation({
    mutationFn: run,
    onSuccess: async (result, input) => {
      actedAt = Date.now()
      // Displayed data is refreshed before the success message appears, so that both change together.
      const refreshed = [...changes, ['audit-trail']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      await waitWithLimit(refreshMs, Promise.all(refreshed))
      if (done) toaster.success(done(result, input))
      await after?.(result, input)
    },
    onError: (error) => {
      if (!quiet) showErrorToast(error)
    },
  })

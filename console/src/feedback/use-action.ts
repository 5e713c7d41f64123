import { type QueryKey, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, errorMessage, getRequestId } from '../api/api-error.ts'
import { queryClient } from '../api/query-client.ts'
import { waitWithLimit } from '../lazy/wait-with-limit.ts'
import { toaster } from './toaster.ts'

interface ActionOptions<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** Returns the text of the toast after a success. No toast if it is absent. */
  done?: (result: Result, input: Input) => string
  /** Keys of the queries that the action outdates. */
  changes?: readonly QueryKey[]
  after?: (result: Result, input: Input) => void | Promise<void>
  /** The caller shows errors itself, so no toast appears. */
  quiet?: true
}

/** Keys of the queries that any change outdates: the audit trail records it, and it may complete a setup step. */
const changedByAll: readonly QueryKey[] = [['audit-trail'], ['overview']]

/** The longest time that the success message waits for displayed data to refresh. */
const refreshMs = 2000

let actedAt = 0

/** Returns when an action of this page last succeeded, in milliseconds since the Unix epoch. */
export const lastActionAt = (): number => actedAt

/** Shows an error as a toast, unless it ends the session: then the sign-in screen shows it. */
export const showErrorToast = (error: unknown): void => {
  const ended = error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')
  if (!ended) toaster.failure(errorMessage(error), { requestId: getRequestId(error) })
}

/** Shows the error of a failed query as a toast, in addition to the content of the page. */
export const useErrorToast = (error: Error | null): void => {
  useEffect(() => {
    if (error) showErrorToast(error)
  }, [error])
}

/**
 * Returns a mutation for a change of data. After a success, it refreshes the affected queries and shows a toast. After
 * a failure, it shows the error as a toast. `run` of the result sends the request alone.
 * @param run sends the request
 * @param after runs after the success message
 */
export const useAction = <Input, Result>({ run, done, changes = [], after, quiet }: ActionOptions<Input, Result>) => {
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: async (result, input) => {
      actedAt = Date.now()
      // Displayed data is refreshed before the success message appears, so that both change together.
      const refreshed = [...changes, ...changedByAll].map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      await waitWithLimit(refreshMs, Promise.all(refreshed))
      if (done) toaster.success(done(result, input))
      await after?.(result, input)
    },
    onError: (error) => {
      if (!quiet) showErrorToast(error)
    },
  })
  return { ...mutation, run }
}

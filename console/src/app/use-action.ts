import { useMutation, type QueryKey } from '@tanstack/react-query'
import { Failure, failureText } from '../api/failure.ts'
import { queryClient } from './query-client.ts'
import { toaster } from './toaster.ts'

interface ActionOptions<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** the toast that says it is done */
  done?: (result: Result, input: Input) => string
  /** what is read again afterwards */
  changes?: readonly QueryKey[]
  after?: (result: Result, input: Input) => void | Promise<void>
  /** the caller shows failures itself */
  quiet?: true
}

/** The one wrapper of everything that changes something: one toast for what happened, one for what did not. */
export const useAction = <Input, Result>({ run, done, changes = [], after, quiet }: ActionOptions<Input, Result>) =>
  useMutation({
    mutationFn: run,
    onSuccess: async (result, input) => {
      if (done) toaster.success(done(result, input))
      const refreshed = changes.map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      await Promise.all([...refreshed, after?.(result, input)])
    },
    onError: (error) => {
      const ended = error instanceof Failure && (error.kind === 'session-ended' || error.kind === 'unreachable')
      // What ends the session is said on the sign-in screen.
      if (!quiet && !ended) toaster.failure(failureText(error))
    },
  })

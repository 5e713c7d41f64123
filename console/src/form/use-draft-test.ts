import { useAction } from '../feedback/use-action.ts'
import { isSame } from './compare-values.ts'

/**
 * Tests values that are not saved. The outcome is present only while the values are those that were tested, because that of
 * other values would mislead.
 */
export const useDraftTest = <Draft extends object, Result>(draft: Draft, run: (draft: Draft) => Promise<Result>) => {
  const { mutate, isPending, variables, data, error } = useAction({ run, quiet: true })
  const isCurrent = !isPending && variables !== undefined && isSame(variables, draft)
  return {
    start: (onError?: (error: Error) => void) => mutate(draft, onError && { onError }),
    isPending,
    result: isCurrent ? data : undefined,
    error: isCurrent ? error : null,
  }
}

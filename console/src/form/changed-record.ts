import { ApiError } from '../api/api-error.ts'
import { showErrorToast } from '../feedback/use-action.ts'

/** Returns the current record if an update failed because another user had changed it, or undefined for other errors. */
export const findChangedRecord = (error: unknown): object | undefined =>
  // The cast is safe: only a changed record has this status.
  error instanceof ApiError && error.status === 412 ? (error.answer['record'] as object | undefined) : undefined

/** Shows an error as a toast. A record that another user has changed is no failure: the form merges it. */
export const withErrorToast = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!findChangedRecord(error)) showErrorToast(error)
    throw error
  }
}

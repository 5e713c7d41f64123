import { useEffect } from 'react'
import { showErrorToast } from './use-action.ts'

/** Shows the error of a failed query as a toast, in addition to the content of the page. */
export const useErrorToast = (error: Error | null): void => {
  useEffect(() => {
    if (error) showErrorToast(error)
  }, [error])
}

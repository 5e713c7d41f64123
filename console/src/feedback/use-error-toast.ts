import { useEffect } from 'react'
import { showErrorToast } from './use-action.ts'

/** What the server says of a read that failed, as a toast beside what stands on the screen. */
export const useErrorToast = (error: Error | null): void => {
  useEffect(() => {
    if (error) showErrorToast(error)
  }, [error])
}

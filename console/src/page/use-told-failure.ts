import { useEffect } from 'react'
import { tellFailure } from './use-action.ts'

/** What the server says of a read that failed, as a toast beside what stands on the screen. */
export const useToldFailure = (error: Error | null): void => {
  useEffect(() => {
    if (error) tellFailure(error)
  }, [error])
}

import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { toaster } from '../feedback/toaster.ts'
import { showErrorToast } from '../feedback/use-action.ts'
import { startPath } from './links.tsx'

/** Returns whether the server did not give the user access to a record, or does not have the record. */
export const isAccessError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 400)

export const accessDeniedMessage = 'You do not have access to this resource'

/** Navigates to a path and shows the reason as a toast. Does nothing without a reason. */
export const useRedirectWhen = (reason: string | undefined, to: string): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (reason === undefined) return
    toaster.failure(reason)
    void navigate({ to, replace: true })
  }, [reason, navigate, to])
}

/** Navigates away from a record that the user cannot access or that does not exist. */
export const useRedirectOnError = (error: unknown, to: string = startPath): void =>
  useRedirectWhen(isAccessError(error) ? accessDeniedMessage : undefined, to)

/** Navigates away from a record that could not be loaded, and shows the error as a toast. */
export const useLeaveWhenFailed = (error: unknown, to: string): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (!error) return
    showErrorToast(error)
    void navigate({ to, replace: true })
  }, [error, navigate, to])
}

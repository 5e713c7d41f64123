import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { startPath } from './links.tsx'
import { toaster } from '../feedback/toaster.ts'
import { showErrorToast } from '../feedback/use-action.ts'

export const isAccessError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 400)

const notAllowed = 'You do not have access to this resource'

/** Leads elsewhere, and says why; stays where there is no reason. */
export const useRedirectWhen = (reason: string | undefined, to: string): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (reason === undefined) return
    toaster.failure(reason)
    void navigate({ to, replace: true })
  }, [reason, navigate, to])
}

/** A record that may not be seen, or is none, leads back. */
export const useRedirectOnError = (error: unknown, to: string = startPath): void =>
  useRedirectWhen(isAccessError(error) ? notAllowed : undefined, to)

/** So does one that cannot be read, for whatever reason. */
export const useLeaveWhenFailed = (error: unknown, to: string): void => {
  const navigate = useNavigate()
  const isRefused = isAccessError(error)
  useRedirectWhen(isRefused ? notAllowed : undefined, to)
  useEffect(() => {
    if (!error || isRefused) return
    showErrorToast(error)
    void navigate({ to, replace: true })
  }, [error, isRefused, navigate, to])
}

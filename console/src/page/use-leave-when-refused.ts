import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failure } from '../api/failure.ts'
import { startPath } from './links.tsx'
import { toaster } from './toaster.ts'
import { tellFailure } from './use-action.ts'

export const isNotAllowed = (error: unknown): boolean =>
  error instanceof Failure && (error.status === 403 || error.status === 404 || error.status === 400)

const notAllowed = 'You do not have access to this resource'

/** Leads elsewhere, and says why; stays where there is no reason. */
export const useLeaveWhen = (reason: string | undefined, to: string): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (reason === undefined) return
    toaster.failure(reason)
    void navigate({ to, replace: true })
  }, [reason, navigate, to])
}

/** A record that may not be seen, or is none, leads back. */
export const useLeaveWhenRefused = (error: unknown, to: string = startPath): void =>
  useLeaveWhen(isNotAllowed(error) ? notAllowed : undefined, to)

/** So does one that cannot be read, for whatever reason. */
export const useLeaveWhenFailed = (error: unknown, to: string): void => {
  const navigate = useNavigate()
  const isRefused = isNotAllowed(error)
  useLeaveWhen(isRefused ? notAllowed : undefined, to)
  useEffect(() => {
    if (!error || isRefused) return
    tellFailure(error)
    void navigate({ to, replace: true })
  }, [error, isRefused, navigate, to])
}

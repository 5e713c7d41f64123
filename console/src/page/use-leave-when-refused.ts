import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failure } from '../api/failure.ts'
import { startPath } from './links.tsx'
import { toaster } from './toaster.ts'

export const isNotAllowed = (error: unknown): boolean =>
  error instanceof Failure && (error.status === 403 || error.status === 404 || error.status === 400)

/** A record that may not be seen, or is none, leads back. */
export const useLeaveWhenRefused = (error: unknown, to: string = startPath): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (!isNotAllowed(error)) return
    toaster.failure('You do not have access to this resource')
    void navigate({ to, replace: true })
  }, [error, navigate, to])
}

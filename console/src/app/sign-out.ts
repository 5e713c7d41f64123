import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import { endSession, flashes } from '../session/session.ts'
import { paths } from './paths.ts'

/** Signs out here and on the server; when that fails, here all the same. */
export const useSignOut = () => {
  const navigate = useNavigate()
  return async () => {
    try {
      await call('POST /logout', {}, { ownFailures: true })
      endSession(flashes.signedOut)
    } catch {
      endSession()
    }
    await navigate({ to: paths.signIn })
  }
}

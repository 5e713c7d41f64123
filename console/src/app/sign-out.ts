import { call } from '../api/client.ts'
import { useGo } from '../page/links.tsx'
import { signIn } from '../screens/sign-in/screens.ts'
import { endSession, flashes } from '../session/session.ts'

/** Signs out here and on the server; when that fails, here all the same. */
export const useSignOut = () => {
  const go = useGo()
  return async () => {
    try {
      await call('POST /logout', {}, { ownFailures: true })
      endSession(flashes.signedOut)
    } catch {
      endSession()
    }
    await go({ to: signIn })
  }
}

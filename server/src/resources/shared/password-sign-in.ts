import { ApiError, throwApiError } from '@patchbay/contract/api/errors'
import { normalizePassword } from '@patchbay/rules/identity/passwords'
import type { HashRequester } from '../../auth/password-hashing.ts'
import { isAllowedToAct } from '../../auth/principals.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import type { Services } from '../services.ts'
import { findPermissions, replaceHash, type SignInUser, toTokenClaims } from './sign-in-users.ts'

interface SignInAttempt {
  /** Finds the user, of any sign-in provider. */
  find(): Promise<SignInUser | undefined>
  /** Name or address as entered. */
  name: string
  password: string
  address: string
  request_id: string
  signal: AbortSignal
}

const getRejectionReason = ({ code, body }: ApiError): string =>
  code === 'sign_in_rejected' ? 'Login credentials are incorrect' : body.msg

/** Creates functions that sign users in with a password, and issue their tokens. */
export const createPasswordSignIn = ({
  database,
  tokens,
  sessions,
  passwords,
  passwordAttempts,
  trail,
}: Pick<Services, 'database' | 'tokens' | 'sessions' | 'passwords' | 'passwordAttempts' | 'trail'>) => {
  /** Issues a token. Returns undefined if the session has reached its maximum duration. */
  const issueToken = async (user: SignInUser, signedInAt?: number) => {
    const claims = toTokenClaims(user, await findPermissions(database, user.user_sid))
    const issued = await tokens.issue(claims, signedInAt)
    return issued && { claims, ...issued }
  }

  /**
   * Replaces a hash from jambonz with one of Patchbay. Verification times differ between the two and would reveal which
   * users have which hash. A hash of the platform belongs to the bytes that were typed: it stays if Patchbay would
   * normalize them, so that the platform's own server still accepts the password.
   */
  const renewHash = async ({ user_sid, hashed_password }: SignInUser, password: string, requester: HashRequester) => {
    if (hashed_password === null || passwords.isOurs(hashed_password)) return
    if (normalizePassword(password) !== password) return
    await replaceHash(database, user_sid, hashed_password, await passwords.hash(password, requester))
  }

  /**
   * Verifies the password, starts a session, and records both outcomes in the audit trail.
   *
   * @throws ApiError `sign_in_rejected` for an unknown user, a wrong password, and a user who cannot act
   */
  const signIn = async ({ find, name, password, address, request_id, signal }: SignInAttempt) => {
    let localUser: SignInUser | undefined
    const findLocal = async () => {
      const user = await find()
      localUser = user?.provider === 'local' ? user : undefined
      return localUser
    }
    const verify = async () => {
      const user = await passwordAttempts.verify({ find: findLocal, name, password, address, signal })
      // Only callers who know the password can notice the difference between this check and a wrong password.
      return user !== undefined && isAllowedToAct(user) ? user : throwApiError('sign_in_rejected')
    }
    const user = await verify().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403)
        trail.note({ ...signInEvent('refused', localUser, { address, request_id }), reason: getRejectionReason(error) })
      throw error
    })
    await renewHash(user, password, { owner: address, signal })
    const { token, expiresAt, claims } = (await issueToken(user)) ?? throwApiError('unauthorized')
    await sessions.start(token, user.user_sid, expiresAt)
    trail.note(signInEvent('sign_in', user, { address, request_id }))
    return { user, token, claims }
  }

  return { issueToken, signIn }
}

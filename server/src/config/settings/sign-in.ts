import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { onOff, positive, type Values } from './schemas.ts'
import type { ServerSettings } from './server.ts'

/** The settings of sessions, lock-out, and passwords. */

export const signInVariables = {
  JWT_EXPIRES_IN: positive.default(60),
  SESSION_MAX_HOURS: positive.default(24),
  LOGIN_ATTEMPTS_MAX_RETRIES: positive.default(6),
  LOGIN_ATTEMPTS_TIME: positive.default(1800),
  PASSWORD_REJECT_COMMON: onOff.default(true),
  ENABLE_FORGOT_PASSWORD: onOff.default(false),
}

type SignInEnvironment = Values<typeof signInVariables>

const getPasswordReset = (env: SignInEnvironment, publicUrl: string | null) => {
  if (!env.ENABLE_FORGOT_PASSWORD) return null
  if (publicUrl === null)
    throw new InvalidConfigurationError(
      'PUBLIC_URL must be set together with ENABLE_FORGOT_PASSWORD, because the links in emails start with it.',
    )
  return { publicUrl }
}

export const getSignInSettings = (env: SignInEnvironment, { publicUrl }: Pick<ServerSettings, 'publicUrl'>) => ({
  /** Lifetime of a token, and the maximum duration of a session, however often its token is renewed. */
  sessionSeconds: env.JWT_EXPIRES_IN * 60,
  longestSessionSeconds: env.SESSION_MAX_HOURS * 3600,
  signIn: { attempts: env.LOGIN_ATTEMPTS_MAX_RETRIES, windowSeconds: env.LOGIN_ATTEMPTS_TIME },
  /** Rejects the most common passwords where a person chooses a password. */
  rejectCommonPasswords: env.PASSWORD_REJECT_COMMON,
  /** Enables password reset by mail. Links use `publicUrl`, regardless of the host of the request. Null if disabled. */
  passwordReset: getPasswordReset(env, publicUrl),
})

import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { onOff, positive, type Values } from './schemas.ts'
import type { ServerSettings } from './server-settings.ts'

/** The settings of sessions, lock-out, and passwords. */

export const signInVariables = {
  JWT_EXPIRES_IN: positive
    .default(60)
    .describe('Lifetime of a session token in minutes. The console renews it while its user is active'),
  SESSION_MAX_HOURS: positive.default(24).describe('Hours after which a session ends, however often it was renewed'),
  LOGIN_ATTEMPTS_MAX_RETRIES: positive
    .default(6)
    .describe('Failed sign-ins of a user until lock-out. An address can fail ten times as often'),
  LOGIN_ATTEMPTS_TIME: positive.default(1800).describe('Duration of the lock-out in seconds'),
  PASSWORD_REJECT_COMMON: onOff
    .default(true)
    .describe(
      'Switch: the 3,000 most common passwords are rejected where a person chooses a password, for ' +
        'themselves or for another user',
    ),
  ENABLE_FORGOT_PASSWORD: onOff
    .default(false)
    .describe(
      'Switch: users can request an email with a link that sets a new password, and users can be ' +
        'invited by email ([how to](../how-to/recover-a-password.md))',
    ),
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

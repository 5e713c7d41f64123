import { z } from 'zod'
import { requireBoth } from './dependent-settings.ts'
import { baseAddress, markSecret, type Values } from './schemas.ts'

/** The settings of identity providers for sign-in. */

export const signInProviderVariables = {
  GOOGLE_OAUTH_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_OAUTH_CLIENT_SECRET: markSecret(z.string().min(1).optional()),
  GOOGLE_OAUTH_ISSUER: baseAddress('https://accounts.google.com'),
  GITHUB_CLIENT_ID: z.string().min(1).optional(),
  GITHUB_CLIENT_SECRET: markSecret(z.string().min(1).optional()),
  GITHUB_BASE_URL: baseAddress('https://github.com'),
  GITHUB_API_URL: baseAddress('https://api.github.com'),
}

type SignInProviderEnvironment = Values<typeof signInProviderVariables>

/** Client settings of an identity provider. */
export interface SignInProviderSettings {
  /** Base URL of the provider. For Google it is the issuer. */
  base: string
  /** Base URL of the provider's API, which differs from `base` for GitHub. */
  api: string
  /** Public. */
  clientId: string
  clientSecret: string
  /** URL of the consent page. */
  authorizeUrl: string
}

const getGoogleSettings = (env: SignInProviderEnvironment): SignInProviderSettings | null => {
  const client = requireBoth(env, 'GOOGLE_OAUTH_CLIENT_ID', 'GOOGLE_OAUTH_CLIENT_SECRET')
  if (client === null) return null
  const base = env.GOOGLE_OAUTH_ISSUER
  const [clientId, clientSecret] = client
  return { base, api: base, clientId, clientSecret, authorizeUrl: `${base}/o/oauth2/v2/auth` }
}

const getGithubSettings = (env: SignInProviderEnvironment): SignInProviderSettings | null => {
  const client = requireBoth(env, 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET')
  if (client === null) return null
  const { GITHUB_BASE_URL: base, GITHUB_API_URL: api } = env
  const [clientId, clientSecret] = client
  return { base, api, clientId, clientSecret, authorizeUrl: `${base}/login/oauth/authorize` }
}

/** Returns null for each identity provider that is not configured. */
export const getSignInProviders = (env: SignInProviderEnvironment) => ({
  google: getGoogleSettings(env),
  github: getGithubSettings(env),
})

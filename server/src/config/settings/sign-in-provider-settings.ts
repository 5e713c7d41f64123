import { z } from 'zod'
import { requireBoth } from './dependent-settings.ts'
import { baseAddress, markSecret, type Values } from './schemas.ts'

/** The settings of identity providers for sign-in. */

export const signInProviderVariables = {
  GOOGLE_OAUTH_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('ID of an OAuth client at Google, together with its secret'),
  GOOGLE_OAUTH_CLIENT_SECRET: markSecret(z.string().min(1).optional().describe('Secret of that client')),
  GOOGLE_OAUTH_ISSUER: baseAddress('https://accounts.google.com').describe(
    'OpenID issuer in place of Google, such as a proxy',
  ),
  GITHUB_CLIENT_ID: z.string().min(1).optional().describe('ID of an OAuth app at GitHub, together with its secret'),
  GITHUB_CLIENT_SECRET: markSecret(z.string().min(1).optional().describe('Secret of that app')),
  GITHUB_BASE_URL: baseAddress('https://github.com').describe('Address of GitHub'),
  GITHUB_API_URL: baseAddress('https://api.github.com').describe("Address of GitHub's API"),
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

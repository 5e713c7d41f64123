import * as client from 'openid-client'
import type { SignInProviderSettings } from '../../config/settings/sign-in-provider-settings.ts'
import { checkedEmail, exchange, fetchWithin, insecureWhere, orSignInError } from './exchange.ts'
import { createKeyCache } from './key-cache.ts'
import { SignInError, type SignInProvider } from './sign-in-provider.ts'

/** Signs in with Google: OpenID Connect. Its `sub` is stored as `provider_id`. */

const metadataTtlMs = 3_600_000

/**
 * Creates the sign-in with Google (OpenID Connect).
 * @param seconds time limit of a request
 */
export const createGoogle = (
  { base, clientId, clientSecret }: SignInProviderSettings,
  seconds: number,
): SignInProvider => {
  const execute = insecureWhere(base)
  const keyCache = createKeyCache()
  let cachedMetadata: { server: client.ServerMetadata; until: number } | undefined

  const discoverServer = async (fetch: client.CustomFetch): Promise<client.ServerMetadata> => {
    if (cachedMetadata !== undefined && cachedMetadata.until > Date.now()) return cachedMetadata.server
    const configuration = await client.discovery(new URL(base), clientId, undefined, undefined, {
      [client.customFetch]: fetch,
      execute,
    })
    cachedMetadata = { server: configuration.serverMetadata(), until: Date.now() + metadataTtlMs }
    return cachedMetadata.server
  }

  return {
    identify: (code) =>
      orSignInError(async () => {
        const fetch = fetchWithin(seconds)
        const server = await discoverServer(fetch)
        const configuration = new client.Configuration(server, clientId, {}, client.ClientSecretPost(clientSecret))
        for (const extend of execute) extend(configuration)
        // Verifies the signature of the ID token with the keys that Google publishes.
        client.enableNonRepudiationChecks(configuration)
        const tokens = await keyCache.use(configuration, fetch, () => exchange(configuration, code))
        const subject = tokens.claims()?.sub ?? client.skipSubjectCheck
        const { sub, email, email_verified, picture } = await client.fetchUserInfo(
          configuration,
          tokens.access_token,
          subject,
        )
        if (email_verified !== true) throw new SignInError('Google has not verified your email address')
        return {
          provider: 'google',
          provider_id: sub,
          provider_userid: sub,
          email: checkedEmail(email),
          picture: picture ?? null,
        }
      }),
  }
}

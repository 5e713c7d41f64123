import * as client from 'openid-client'
import type { SignInProviderSettings } from '../../config/configuration.ts'
import { checkedEmail, exchange, fetchWithin, insecureWhere, orRefused } from './exchange.ts'
import { type SignInProvider, SignInRefused } from './sign-in-provider.ts'

/** Google by OpenID Connect. Its `sub` is what the wire calls `id`. */

const knownMilliseconds = 3_600_000

export const createGoogle = (
  { base, clientId, clientSecret }: SignInProviderSettings,
  seconds: number,
): SignInProvider => {
  const execute = insecureWhere(base)
  let known: { server: client.ServerMetadata; until: number } | undefined

  const serverOf = async (fetch: client.CustomFetch): Promise<client.ServerMetadata> => {
    if (known !== undefined && known.until > Date.now()) return known.server
    const found = await client.discovery(new URL(base), clientId, undefined, undefined, {
      [client.customFetch]: fetch,
      execute,
    })
    known = { server: found.serverMetadata(), until: Date.now() + knownMilliseconds }
    return known.server
  }

  return {
    identify: (code) =>
      orRefused(async () => {
        const fetch = fetchWithin(seconds)
        const server = await serverOf(fetch)
        const configuration = new client.Configuration(server, clientId, {}, client.ClientSecretPost(clientSecret))
        configuration[client.customFetch] = fetch
        for (const extend of execute) extend(configuration)
        const tokens = await exchange(configuration, code)
        const subject = tokens.claims()?.sub ?? client.skipSubjectCheck
        const { sub, email, email_verified, picture } = await client.fetchUserInfo(
          configuration,
          tokens.access_token,
          subject,
        )
        if (email_verified !== true) throw new SignInRefused('Google has not verified your e-mail address')
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

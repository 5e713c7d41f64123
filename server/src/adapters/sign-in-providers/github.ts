import * as client from 'openid-client'
import { z } from 'zod'
import type { SignInProviderSettings } from '../../config/settings/sign-in-provider-settings.ts'
import { checkedEmail, exchange, failUnexpected, fetchWithin, insecureWhere, orSignInError } from './exchange.ts'
import { SignInError, type SignInProvider } from './sign-in-provider.ts'

/** Signs in with GitHub: OAuth 2, then GitHub's API for the user's identity. */

const user = z.object({
  id: z.int(),
  login: z.string().min(1).max(255),
  avatar_url: z.string().nullish(),
})
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub reports errors with status 200. The library expects 400 (RFC 6749 §5.2). */
const withStandardErrors =
  (fetch: client.CustomFetch): client.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options)
    if (options.method !== 'POST' || response.status !== 200) return response
    const text = await response.text()
    const isError = /^\s*\{\s*"error"/.test(text)
    return new Response(text, { status: isError ? 400 : 200, headers: response.headers })
  }

/**
 * Creates the sign-in with GitHub.
 * @param seconds time limit of a request
 */
export const createGithub = (
  { base, api, clientId, clientSecret }: SignInProviderSettings,
  seconds: number,
): SignInProvider => {
  const server = { issuer: base, token_endpoint: `${base}/login/oauth/access_token` }
  return {
    identify: (code) =>
      orSignInError(async () => {
        const configuration = new client.Configuration(server, clientId, {}, client.ClientSecretPost(clientSecret))
        configuration[client.customFetch] = withStandardErrors(fetchWithin(seconds))
        for (const extend of insecureWhere(base)) extend(configuration)
        // GitHub does not support OpenID Connect, so there is no ID token that could contain a nonce.
        const { access_token } = await exchange(configuration, { ...code, nonce: undefined })

        const getResource = async <T>(path: string, answer: z.ZodType<T>): Promise<T | undefined> => {
          const headers = new Headers({ accept: 'application/vnd.github+json' })
          const url = new URL(`${api}${path}`)
          const response = await client.fetchProtectedResource(configuration, access_token, url, 'GET', null, headers)
          // GitHub hides what the scopes of a token do not include.
          if (response.status === 404) return undefined
          if (!response.ok) return failUnexpected()
          return answer.safeParse(await response.json()).data ?? failUnexpected()
        }
        const { id, login, avatar_url } = (await getResource('/user', user)) ?? failUnexpected()
        const addresses = await getResource('/user/emails', emails)
        if (addresses === undefined)
          throw new SignInError('GitHub does not allow Patchbay to read your email addresses. Sign in again.')
        const primary = addresses.find((each) => each.primary)
        if (primary === undefined) throw new SignInError('Your GitHub account has no primary email address')
        if (!primary.verified) throw new SignInError('GitHub has not verified your email address')
        return {
          provider: 'github',
          provider_id: String(id),
          provider_userid: login,
          email: checkedEmail(primary.email),
          picture: avatar_url ?? null,
        }
      }),
  }
}

import * as client from 'openid-client'
import { z } from 'zod'
import type { SignInProviderSettings } from '../../config/configuration.ts'
import { checkedEmail, exchange, fetchWithin, insecureWhere, orRefused, refuseNonsense } from './exchange.ts'
import { type SignInProvider, SignInRefused } from './sign-in-provider.ts'

/** GitHub by OAuth 2, with its API for who somebody is. */

const user = z.object({
  id: z.int(),
  login: z.string().min(1).max(255),
  avatar_url: z.string().nullish(),
})
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub refuses with status 200; a library of the standard wants another (RFC 6749 §5.2). */
const refusingAsOthers =
  (fetch: client.CustomFetch): client.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options)
    if (options.method !== 'POST' || response.status !== 200) return response
    const text = await response.text()
    const refuses = /^\s*\{\s*"error"/.test(text)
    return new Response(text, { status: refuses ? 400 : 200, headers: response.headers })
  }

export const createGithub = (
  { base, api, clientId, clientSecret }: SignInProviderSettings,
  seconds: number,
): SignInProvider => {
  const server = { issuer: base, token_endpoint: `${base}/login/oauth/access_token` }
  return {
    identify: (code) =>
      orRefused(async () => {
        const configuration = new client.Configuration(server, clientId, {}, client.ClientSecretPost(clientSecret))
        configuration[client.customFetch] = refusingAsOthers(fetchWithin(seconds))
        for (const extend of insecureWhere(base)) extend(configuration)
        // GitHub is no OpenID provider: there is no token in which a nonce could be.
        const { access_token } = await exchange(configuration, { ...code, nonce: undefined })

        const ask = async <T>(path: string, answer: z.ZodType<T>): Promise<T> => {
          const headers = new Headers({ accept: 'application/vnd.github+json' })
          const url = new URL(`${api}${path}`)
          const response = await client.fetchProtectedResource(configuration, access_token, url, 'GET', null, headers)
          if (!response.ok) return refuseNonsense()
          return answer.safeParse(await response.json()).data ?? refuseNonsense()
        }
        const { id, login, avatar_url } = await ask('/user', user)
        const primary = (await ask('/user/emails', emails)).find((each) => each.primary)
        if (primary === undefined) throw new SignInRefused('Your GitHub account has no primary e-mail address')
        if (!primary.verified) throw new SignInRefused('GitHub has not verified your e-mail address')
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

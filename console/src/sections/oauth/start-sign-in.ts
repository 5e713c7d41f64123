import type { SignInProviderName } from '@patchbay/rules/identity/sign-in-providers'
import { config } from '../../api/configuration.ts'
import { stored } from '../../session/storage.ts'

/**
 * Sign-in with Google or GitHub: the redirect to the provider, and the state for the callback (RFC 6749 §4.1, RFC
 * 7636).
 */

/** The scopes of the authorization request. With `openid`, Google returns a signed ID token that contains the nonce. */
const scopes = { google: 'openid email profile', github: 'user:email' } as const

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** Browsers offer hash functions only on pages with HTTPS, or from localhost. */
const createChallenge = async (verifier: string): Promise<object> => {
  if (!window.isSecureContext) return {}
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { code_challenge: base64url(new Uint8Array(hash)), code_challenge_method: 'S256' }
}

export const redirectUri = (provider: SignInProviderName): string =>
  `${window.location.origin}/oauth-callback/${provider}`

/** Stored in this tab until the provider redirects back. */
export interface PkceState {
  verifier?: string
  nonce: string
}

/**
 * Redirects to a sign-in provider. The origin of the request decides whether an account may be created
 * (docs/reference/platform-api/hosted-mode.md#registration).
 */
export const redirectToProvider = async (
  provider: SignInProviderName,
  from: '/sign-in' | '/register',
): Promise<void> => {
  const settings = config().hosting?.signInProviders[provider]
  if (settings === undefined) return
  const [state, verifier, nonce] = [random(), random(), random()]
  const challenge = await createChallenge(verifier)
  stored.oauthState.write(state)
  stored.locationBeforeOauth.write(from)
  const proof: PkceState = 'code_challenge' in challenge ? { verifier, nonce } : { nonce }
  stored.oauthProof.write(JSON.stringify(proof))
  const requestParams = {
    client_id: settings.clientId,
    redirect_uri: redirectUri(provider),
    response_type: 'code',
    scope: scopes[provider],
    state,
    ...(provider === 'google' ? { nonce } : {}),
    ...challenge,
  }
  window.location.assign(`${settings.authorizeUrl}?${new URLSearchParams(requestParams).toString()}`)
}

/** Returns the pending sign-in and removes it, so that each can be completed once. */
export const consumePendingSignIn = () => {
  const state = stored.oauthState.read()
  const from = stored.locationBeforeOauth.read()
  const text = stored.oauthProof.read()
  for (const slot of [stored.oauthState, stored.locationBeforeOauth, stored.oauthProof]) slot.clear()
  // We wrote it ourselves.
  return { state, from, proof: text === null ? undefined : (JSON.parse(text) as PkceState) }
}

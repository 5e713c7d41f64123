import { isSignInProvider, type SignInProviderName, signInProviders } from '@patchbay/rules/identity/sign-in-providers'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { toaster } from '../../feedback/toaster.ts'
import { editAccount } from '../../routes/accounts.ts'
import { type CallbackSearch, oauthCallback } from '../../routes/oauth-callback.ts'
import { register } from '../../routes/register.ts'
import { signIn } from '../../routes/sign-in.ts'
import { useNavigateTo, useScreenParams, useScreenSearch } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { consumePendingSignIn, type PkceState, redirectUri } from '../../sections/oauth/start-sign-in.ts'
import { startSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { LinkAccount, type LinkOffer } from './link-account.tsx'

type Step = { to: 'sign-in' | 'register'; saying: string } | { to: 'finish'; ask: Asking }

interface Asking {
  provider: SignInProviderName
  code: string
  state: string
  proof: PkceState | undefined
  from: string | null
}

/**
 * Determines the next step from the parameters of the redirect. A redirect that this browser did not start never signs
 * in (RFC 6749 §10.12).
 */
const getNextStep = (provider: string, { code, state, error, error_description }: CallbackSearch): Step => {
  const pendingSignIn = consumePendingSignIn()
  if (!isSignInProvider(provider)) return { to: 'sign-in', saying: `${provider} is not a valid OAuth provider` }
  if (pendingSignIn.state === null || pendingSignIn.state !== state) return { to: 'sign-in', saying: 'Invalid state' }
  if (code === undefined || code === '') {
    const why = error_description ?? error
    return { to: 'sign-in', saying: `${signInProviders[provider]} did not sign you in${why ? `: ${why}` : ''}` }
  }
  return { to: 'finish', ask: { provider, code, state, proof: pendingSignIn.proof, from: pendingSignIn.from } }
}

const toRegistration = ({ provider, code, state, proof, from }: Asking) => {
  const { serviceProvider, signInProviders: configuredProviders = {} } = config().hosting ?? {}
  return {
    service_provider_sid: serviceProvider,
    provider,
    oauth2_code: code,
    oauth2_state: state,
    oauth2_client_id: configuredProviders[provider]?.clientId,
    oauth2_redirect_uri: redirectUri(provider),
    locationBeforeAuth: from ?? '/sign-in',
    ...(proof?.verifier === undefined ? {} : { oauth2_code_verifier: proof.verifier }),
    ...(proof !== undefined && provider === 'google' ? { oauth2_nonce: proof.nonce } : {}),
  }
}

/**
 * Returns the offer to link the provider, if a user with this email address already has a password. Both ways to sign
 * in work afterwards.
 */
const toLinkOffer = (error: unknown, provider: SignInProviderName): LinkOffer | undefined => {
  const ticket = error instanceof ApiError ? error.answer['link_ticket'] : undefined
  return typeof ticket === 'string' ? { ticket, saying: errorMessage(error), provider } : undefined
}

/** Completes a sign-in with Google or GitHub after their redirect. */
export const OAuthCallbackPage = (): ReactNode => {
  const { provider } = useScreenParams(oauthCallback)
  const search = useScreenSearch(oauthCallback)
  const go = useNavigateTo()
  const navigate = useNavigate()
  const [offer, setOffer] = useState<LinkOffer>()
  const isStarted = useRef(false)

  const enter = useCallback(
    async (jwt: string, rootDomain?: string) => {
      startSession(jwt)
      if (rootDomain) stored.rootDomain.write(rootDomain)
      const { account } = await api('GET /Users/me', {})
      const { account_sid, sip_realm } = account
      if (account_sid !== null && sip_realm) await go({ to: editAccount, params: { account_sid }, replace: true })
      else await navigate({ to: signIn.path, replace: true })
    },
    [go, navigate],
  )

  /** Returns an offer if the provider must first be linked to an existing user. */
  const finish = useCallback(
    async (ask: Asking): Promise<LinkOffer | undefined> => {
      try {
        const { jwt, root_domain } = await api('POST /register', { body: toRegistration(ask) }, { ownFailures: true })
        await enter(jwt, root_domain)
      } catch (error) {
        const offered = toLinkOffer(error, ask.provider)
        if (offered !== undefined) return offered
        toaster.failure(errorMessage(error))
        await go({ to: ask.from === '/register' ? register : signIn, replace: true })
      }
      return undefined
    },
    [enter, go],
  )

  useEffect(() => {
    // The authorization code can be used only once.
    if (isStarted.current) return
    isStarted.current = true
    const step = getNextStep(provider, search)
    if (step.to === 'finish') return void finish(step.ask).then(setOffer)
    toaster.failure(step.saying)
    void go({ to: signIn, replace: true })
  }, [provider, search, finish, go])

  if (offer !== undefined) return <LinkAccount offer={offer} onLinked={(jwt) => enter(jwt)} />
  return (
    <PublicPage screen={oauthCallback} description="One moment, please.">
      <Spinner />
    </PublicPage>
  )
}

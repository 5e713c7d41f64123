import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { useNavigateTo, useScreenParams, useScreenSearch } from '../../screen/links.tsx'
import {
  isSignInProvider,
  type PkceState,
  redirectUri,
  type SignInProviderName,
  signInProviders,
  consumePendingSignIn,
} from '../../sections/oauth/start-sign-in.ts'
import { PublicPage } from '../../screen/public-page.tsx'
import { toaster } from '../../feedback/toaster.ts'
import { startSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { register } from '../../routes/register.ts'
import { signIn } from '../../routes/sign-in.ts'
import { LinkAccount, type LinkOffer } from './link-account.tsx'
import { type CallbackSearch, oauthCallback } from '../../routes/oauth-callback.ts'

type Step = { to: 'sign-in' | 'register'; saying: string } | { to: 'finish'; ask: Asking }

interface Asking {
  provider: SignInProviderName
  code: string
  state: string
  proof: PkceState | undefined
  from: string | null
}

/** What comes of how the visitor came back: who did not leave from here signs nobody in (RFC 6749 §10.12). */
const stepOf = (provider: string, { code, state, error, error_description }: CallbackSearch): Step => {
  const departure = consumePendingSignIn()
  if (!isSignInProvider(provider)) return { to: 'sign-in', saying: `${provider} is not a valid OAuth provider` }
  if (departure.state === null || departure.state !== state) return { to: 'sign-in', saying: 'Invalid state' }
  if (code === undefined || code === '') {
    const why = error_description ?? error
    return { to: 'sign-in', saying: `${signInProviders[provider]} did not sign you in${why ? `: ${why}` : ''}` }
  }
  return { to: 'finish', ask: { provider, code, state, proof: departure.proof, from: departure.from } }
}

const registrationOf = ({ provider, code, state, proof, from }: Asking) => {
  const { serviceProvider, signInProviders: setUp = {} } = config().hosting ?? {}
  return {
    service_provider_sid: serviceProvider,
    provider,
    oauth2_code: code,
    oauth2_state: state,
    oauth2_client_id: setUp[provider]?.clientId,
    oauth2_redirect_uri: redirectUri(provider),
    locationBeforeAuth: from ?? '/sign-in',
    ...(proof?.verifier === undefined ? {} : { oauth2_code_verifier: proof.verifier }),
    ...(proof !== undefined && provider === 'google' ? { oauth2_nonce: proof.nonce } : {}),
  }
}

/** An account with that address has a password: whoever knows it may sign in both ways from then on. */
const offerIn = (error: unknown, provider: SignInProviderName): LinkOffer | undefined => {
  const ticket = error instanceof ApiError ? error.answer['link_ticket'] : undefined
  return typeof ticket === 'string' ? { ticket, saying: errorMessage(error), provider } : undefined
}

/** The way back from Google or GitHub. */
export const OAuthCallbackPage = (): ReactNode => {
  const { provider } = useScreenParams(oauthCallback)
  const search = useScreenSearch(oauthCallback)
  const go = useNavigateTo()
  const navigate = useNavigate()
  const [offer, setOffer] = useState<LinkOffer>()
  const begun = useRef(false)

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

  /** Answers the offer where the address has an account that must be linked first. */
  const finish = useCallback(
    async (ask: Asking): Promise<LinkOffer | undefined> => {
      try {
        const { jwt, root_domain } = await api('POST /register', { body: registrationOf(ask) }, { ownFailures: true })
        await enter(jwt, root_domain)
      } catch (error) {
        const offered = offerIn(error, ask.provider)
        if (offered !== undefined) return offered
        toaster.failure(errorMessage(error))
        await go({ to: ask.from === '/register' ? register : signIn, replace: true })
      }
      return undefined
    },
    [enter, go],
  )

  useEffect(() => {
    // A code is good for one time only.
    if (begun.current) return
    begun.current = true
    const step = stepOf(provider, search)
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

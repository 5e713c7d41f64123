import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { FaultMode } from '../../peers/fault-modes.ts'

/**
 * Common parts of the fake Google and GitHub: a person in front of the consent page, and single-use authorization
 * codes.
 */

/** The person in front of the consent page. */
export interface Person {
  id: string
  /** GitHub user name, which can change. */
  login: string
  email: string
  isVerified: boolean
  name: string
  picture: string
}

export const createPerson = (more: Partial<Person> = {}): Person => {
  const name = randomUUID().slice(0, 8)
  return {
    id: String(randomBytes(5).readUIntBE(0, 5)),
    login: `person-${name}`,
    email: `${name}@example.org`,
    isVerified: true,
    name: `Person ${name}`,
    picture: `https://pictures.example.org/${name}.png`,
    ...more,
  }
}

/** Parameters of an authorization request, which the console stores until the redirect. */
export interface Visit {
  redirect_uri: string
  client_id: string
  state: string
  nonce: string
  code_verifier: string
}

export const createVisit = (more: Partial<Visit> & Pick<Visit, 'redirect_uri' | 'client_id'>): Visit => ({
  state: randomUUID(),
  nonce: randomUUID(),
  code_verifier: randomBytes(32).toString('base64url'),
  ...more,
})

export const toCodeChallenge = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Returns the URL of the consent page. Omits empty members, like a client that does not support them. */
export const buildVisitUrl = (page: string, { code_verifier, ...visit }: Visit, scope: string): URL => {
  const url = new URL(page)
  const pkce =
    code_verifier === '' ? {} : { code_challenge: toCodeChallenge(code_verifier), code_challenge_method: 'S256' }
  for (const [name, value] of Object.entries({ response_type: 'code', scope, ...visit, ...pkce }))
    if (value !== '') url.searchParams.set(name, value)
  return url
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Renders a page with two links, one of which grants consent. */
export const renderConsentPage = (provider: string, url: URL): string => {
  const choosing = (consent: string) => {
    const chosen = new URL(url)
    chosen.searchParams.set('consent', consent)
    return escaped(`${chosen.pathname}${chosen.search}`)
  }
  return `<!doctype html><html lang="en"><title>Sign in to ${provider}</title><h1>Sign in to ${provider}</h1>
<p><a href="${choosing('yes')}">Continue</a> <a href="${choosing('no')}">Cancel</a></p></html>`
}

/** Returns the redirect after a denied consent (RFC 6749 §4.1.2.1). */
export const buildDeniedRedirect = (url: URL): URL => {
  const back = new URL(url.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('error', 'access_denied')
  back.searchParams.set('error_description', 'The user has denied your application access.')
  const state = url.searchParams.get('state')
  if (state !== null) back.searchParams.set('state', state)
  return back
}

/**
 * Grants consent on the page and returns the code.
 * @throws Error if the provider rejects the authorization request
 */
export const grantConsent = async (address: URL): Promise<string> => {
  const url = new URL(address)
  url.searchParams.set('consent', 'yes')
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${response.status} ${await response.text()}`)
  const { searchParams } = new URL(location)
  return searchParams.get('code') ?? throwError(searchParams.get('error') ?? 'no code')
}

const throwError = (message: string): never => {
  throw new Error(message)
}

/** Returns the redirect URI that is registered with a provider. */
export const registeredRedirect = (provider: string): string => `https://console.example.org/oauth-callback/${provider}`

/** Returns whether a redirect URI is registered. On the loopback interface, every port is (RFC 8252 §7.3). */
export const isRegisteredRedirect = (provider: string, redirect: string): boolean => {
  if (redirect === registeredRedirect(provider)) return true
  const url = URL.parse(redirect)
  return url !== null && isLoopback(url) && url.pathname === new URL(registeredRedirect(provider)).pathname
}

const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname)

/** Consent of a person to the requested scopes. */
export interface Grant {
  person: Person
  scopes: ReadonlySet<string>
}

interface IssuedCode extends Grant {
  client_id: string
  redirect_uri: string
  /** Empty without PKCE. */
  challenge: string
}

const codeMs = 10 * 60_000

/** Stores issued codes. Each code is valid once, for ten minutes. */
export const createCodes = (now: () => number = Date.now) => {
  const issuedCodes = new Map<string, IssuedCode & { until: number }>()
  return {
    give(code: string, url: URL, person: Person): void {
      const read = (name: string) => url.searchParams.get(name) ?? ''
      issuedCodes.set(code, {
        person,
        scopes: new Set(read('scope').split(/[ ,]+/)),
        client_id: read('client_id'),
        redirect_uri: read('redirect_uri'),
        challenge: read('code_challenge'),
        until: now() + codeMs,
      })
    },
    person: (code: string): Person | undefined => issuedCodes.get(code)?.person,
    /**
     * Redeems a code. Returns the grant if the client ID, redirect URI, and code verifier match the authorization
     * request.
     */
    take(
      code: string,
      tokenRequest: { client_id: string; redirect_uri: string; code_verifier: string },
    ): Grant | undefined {
      const issued = issuedCodes.get(code)
      issuedCodes.delete(code)
      if (issued === undefined || issued.until < now()) return undefined
      const isProven = issued.challenge === '' || issued.challenge === toCodeChallenge(tokenRequest.code_verifier)
      const isSame = issued.client_id === tokenRequest.client_id && issued.redirect_uri === tokenRequest.redirect_uri
      return isProven && isSame ? issued : undefined
    },
  }
}

/** Settings for a server that offers this provider. */
export interface FakeProvider {
  clientId: string
  /** settings of a server that lets people sign in by it */
  environment: Readonly<Record<string, string>>
  /** Sets the person who uses the consent page from now on. */
  seat(person: Person): void
  /** Sets the fault mode from now on. */
  behave(faultMode: FaultMode): void
  /**
   * Grants consent and returns the code.
   * @param scope requested scopes; those that a sign-in needs by default
   * @throws Error if the provider rejects the authorization request
   */
  consent(visit: Visit, scope?: string): Promise<string>
  stop(): Promise<void>
}

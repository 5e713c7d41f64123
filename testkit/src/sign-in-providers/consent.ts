import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { FaultMode } from '../fault-modes.ts'

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

/** Grants consent on the page and returns the redirect. */
export const grantConsent = async (address: URL): Promise<URL> => {
  const url = new URL(address)
  url.searchParams.set('consent', 'yes')
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

interface IssuedCode {
  person: Person
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
        client_id: read('client_id'),
        redirect_uri: read('redirect_uri'),
        challenge: read('code_challenge'),
        until: now() + codeMs,
      })
    },
    person: (code: string): Person | undefined => issuedCodes.get(code)?.person,
    /**
     * Redeems a code. Returns the person if the client ID, redirect URI, and code verifier match the authorization
     * request.
     */
    take(
      code: string,
      tokenRequest: { client_id: string; redirect_uri: string; code_verifier: string },
    ): Person | undefined {
      const issued = issuedCodes.get(code)
      issuedCodes.delete(code)
      if (issued === undefined || issued.until < now()) return undefined
      const isProven = issued.challenge === '' || issued.challenge === toCodeChallenge(tokenRequest.code_verifier)
      const isSame = issued.client_id === tokenRequest.client_id && issued.redirect_uri === tokenRequest.redirect_uri
      return isProven && isSame ? issued.person : undefined
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
  /** Grants consent and returns the code. */
  consent(visit: Visit): Promise<string>
  stop(): Promise<void>
}

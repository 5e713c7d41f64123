import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { FaultMode } from '../fault-modes.ts'

/** What Google and GitHub have in common: somebody in front of a page of consent, and codes that are good once. */

/** Who sits in front of the page. */
export interface Person {
  id: string
  /** at GitHub, where it may change */
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

/** What the console remembers of a visit to the page, and asks for by its address. */
export interface Visit {
  redirect_uri: string
  client_id: string
  state: string
  nonce: string
  code_verifier: string
}

export const aVisit = (more: Partial<Visit> & Pick<Visit, 'redirect_uri' | 'client_id'>): Visit => ({
  state: randomUUID(),
  nonce: randomUUID(),
  code_verifier: randomBytes(32).toString('base64url'),
  ...more,
})

export const toCodeChallenge = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** The address of the page for a visit; members that are empty are left out, as by a client that does not know them. */
export const addressFor = (page: string, { code_verifier, ...visit }: Visit, scope: string): URL => {
  const url = new URL(page)
  const pkce =
    code_verifier === '' ? {} : { code_challenge: toCodeChallenge(code_verifier), code_challenge_method: 'S256' }
  for (const [name, value] of Object.entries({ response_type: 'code', scope, ...visit, ...pkce }))
    if (value !== '') url.searchParams.set(name, value)
  return url
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Two links, of which one consents. */
export const pageOfConsent = (provider: string, url: URL): string => {
  const choosing = (consent: string) => {
    const chosen = new URL(url)
    chosen.searchParams.set('consent', consent)
    return escaped(`${chosen.pathname}${chosen.search}`)
  }
  return `<!doctype html><html lang="en"><title>Sign in to ${provider}</title><h1>Sign in to ${provider}</h1>
<p><a href="${choosing('yes')}">Continue</a> <a href="${choosing('no')}">Cancel</a></p></html>`
}

/** Where one who does not consent is sent (RFC 6749 §4.1.2.1). */
export const refusedAt = (url: URL): URL => {
  const back = new URL(url.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('error', 'access_denied')
  back.searchParams.set('error_description', 'The user has denied your application access.')
  const state = url.searchParams.get('state')
  if (state !== null) back.searchParams.set('state', state)
  return back
}

/** Where the page of this address leads one who consents. */
export const consentAt = async (address: URL): Promise<URL> => {
  const url = new URL(address)
  url.searchParams.set('consent', 'yes')
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

interface Given {
  person: Person
  client_id: string
  redirect_uri: string
  /** empty: without PKCE */
  challenge: string
}

const codeMilliseconds = 10 * 60_000

/** Codes that were given to who consented: each is good once, for ten minutes. */
export const createCodes = (now: () => number = Date.now) => {
  const given = new Map<string, Given & { until: number }>()
  return {
    give(code: string, url: URL, person: Person): void {
      const read = (name: string) => url.searchParams.get(name) ?? ''
      given.set(code, {
        person,
        client_id: read('client_id'),
        redirect_uri: read('redirect_uri'),
        challenge: read('code_challenge'),
        until: now() + codeMilliseconds,
      })
    },
    person: (code: string): Person | undefined => given.get(code)?.person,
    /** The person, where all that is sent with the code is as it was when it was given. */
    take(code: string, sent: { client_id: string; redirect_uri: string; code_verifier: string }): Person | undefined {
      const found = given.get(code)
      given.delete(code)
      if (found === undefined || found.until < now()) return undefined
      const isProven = found.challenge === '' || found.challenge === toCodeChallenge(sent.code_verifier)
      const isSame = found.client_id === sent.client_id && found.redirect_uri === sent.redirect_uri
      return isProven && isSame ? found.person : undefined
    },
  }
}

/** What tests know of a provider that stands in for a real one. */
export interface FakeProvider {
  clientId: string
  /** settings of a server that lets people sign in by it */
  environment: Readonly<Record<string, string>>
  /** who sits in front of its page from now on */
  seat(person: Person): void
  /** how it behaves from now on */
  behave(mood: FaultMode): void
  /** consents to a visit; answers the code */
  consent(visit: Visit): Promise<string>
  stop(): Promise<void>
}

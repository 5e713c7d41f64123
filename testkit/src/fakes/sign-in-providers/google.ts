import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import { Events, type MutableResponse, type MutableToken, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server'
import { type FaultMode, sendFaultyResponse } from '../../peers/fault-modes.ts'
import { getPort } from '../../servers/ports.ts'
import {
  buildDeniedRedirect,
  buildVisitUrl,
  createCodes,
  createPerson,
  type FakeProvider,
  type Grant,
  grantConsent,
  isRegisteredRedirect,
  renderConsentPage,
} from './consent.ts'

/**
 * A fake of Google as an OpenID provider. Adds to oauth2-mock-server the consent page, and codes that are bound to one
 * client, one redirect URI, and a single use.
 */

const clientId = 'patchbay.apps.googleusercontent.example'
const clientSecret = 'the-secret-that-google-gave'
const authorize = '/o/oauth2/v2/auth'
const token = '/token'

/** Maximum time for which clients cache the signing keys. */
export const keyMaxAgeSeconds = 6 * 60 * 60

type TokenRequestBody = Readonly<Record<string, unknown>>
const textIn = (body: TokenRequestBody, name: string): string => (typeof body[name] === 'string' ? body[name] : '')

const refuseWith = (answer: MutableResponse, statusCode: number, error: string, error_description: string): void =>
  void Object.assign(answer, { statusCode, body: { error, error_description } })

/** Converts the library's HTTP problem response for an invalid code into an OAuth error response, like Google's. */
const convertErrors = (response: ServerResponse): ServerResponse => {
  const end = response.end.bind(response)
  const endAsGoogle = (content: unknown) => {
    if (!String(response.getHeader('content-type')).startsWith('application/problem+json')) return end(content)
    response.removeHeader('content-length')
    response.setHeader('content-type', 'application/json')
    return end(JSON.stringify({ error: 'invalid_grant', error_description: 'Bad Request' }))
  }
  // The library uses only this overload.
  response.end = endAsGoogle as ServerResponse['end']
  return response
}

/** A member of the ID token that is wrong. */
export type Forgery = 'iss' | 'aud' | 'exp' | 'signature'

const forgedClaims = { iss: 'https://evil.example.com', aud: 'another-client', exp: 1_000_000_000 } as const

/** Returns a token whose signature does not match its content. */
const breakSignature = (idToken: string): string => {
  const [header, payload, signature = ''] = idToken.split('.')
  return [header, payload, Buffer.from(signature, 'base64url').reverse().toString('base64url')].join('.')
}

export interface FakeGoogle extends FakeProvider {
  /** Makes a member of all further ID tokens wrong. */
  forge(what: Forgery | undefined): void
  /** Replaces the signing key. */
  rotateKey(): Promise<void>
  /** Returns how often the signing keys were requested. */
  keyRequests(): number
}

export const startFakeGoogle = async (): Promise<FakeGoogle> => {
  let faultMode: FaultMode = 'ok'
  let person = createPerson()
  const codes = createCodes()
  let forgery: Forgery | undefined
  const grantsById = new Map<string, Grant>()
  const issuer = new OAuth2Issuer()
  let { kid } = await issuer.keys.generate('RS256')
  // The library signs with all of its keys in turn.
  const getKey = issuer.keys.get.bind(issuer.keys)
  issuer.keys.get = () => getKey(kid)
  let keyRequests = 0
  const service = new OAuth2Service(issuer, { authorize, token, userinfo: '/v1/userinfo' })

  const parseUrl = ({ url = '' }: IncomingMessage) => new URL(url, issuer.url)

  service.on(Events.BeforeAuthorizeRedirect, ({ url }: { url: URL }, request: IncomingMessage) => {
    codes.give(url.searchParams.get('code') ?? '', parseUrl(request), person)
  })
  service.on(Events.BeforeTokenSigning, ({ payload }: MutableToken, { body }: { body: TokenRequestBody }) => {
    const owner = codes.person(textIn(body, 'code'))
    if (owner) payload['sub'] = owner.id
    if (forgery && forgery !== 'signature') Object.assign(payload, { [forgery]: forgedClaims[forgery] })
  })
  service.on(Events.BeforeResponse, (answer: MutableResponse, { body }: { body: TokenRequestBody }) => {
    const read = (name: string) => textIn(body, name)
    if (read('client_id') !== clientId || read('client_secret') !== clientSecret)
      return refuseWith(answer, 401, 'invalid_client', 'Unauthorized')
    const tokenRequest = {
      client_id: read('client_id'),
      redirect_uri: read('redirect_uri'),
      code_verifier: read('code_verifier'),
    }
    if (!isRegisteredRedirect('google', read('redirect_uri')))
      return refuseWith(answer, 400, 'redirect_uri_mismatch', 'Bad Request')
    const grant = codes.take(read('code'), tokenRequest)
    if (grant === undefined) return refuseWith(answer, 400, 'invalid_grant', 'Bad Request')
    grantsById.set(grant.person.id, grant)
    const { id_token: idToken, ...rest } = answer.body as { id_token?: string }
    // Only OpenID Connect requests get an ID token.
    if (!grant.scopes.has('openid') || idToken === undefined) answer.body = rest
    else if (forgery === 'signature') answer.body = { ...rest, id_token: breakSignature(idToken) }
  })
  service.on(Events.BeforeUserinfo, (answer: MutableResponse, { headers }: IncomingMessage) => {
    const { sub = '' } = decodeJwt(headers.authorization?.slice('Bearer '.length) ?? '')
    const grant = grantsById.get(sub)
    if (grant === undefined) return refuseWith(answer, 401, 'invalid_token', 'Unauthorized')
    const { id, email, isVerified, name, picture } = grant.person
    answer.body = {
      sub: id,
      ...(grant.scopes.has('email') ? { email, email_verified: isVerified } : {}),
      ...(grant.scopes.has('profile') ? { name, picture } : {}),
    }
  })

  const refuseVisit = ({ searchParams }: URL): string | undefined => {
    if (searchParams.get('client_id') !== clientId) return 'invalid_client'
    if (!isRegisteredRedirect('google', searchParams.get('redirect_uri') ?? '')) return 'redirect_uri_mismatch'
    return searchParams.get('scope') ? undefined : 'invalid_request'
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = parseUrl(request)
    if (url.pathname === '/jwks') {
      keyRequests += 1
      response.setHeader('cache-control', `public, max-age=${keyMaxAgeSeconds}, must-revalidate, no-transform`)
    }
    if (faultMode !== 'ok') return sendFaultyResponse(response, faultMode)
    const refusal = url.pathname === authorize ? refuseVisit(url) : undefined
    if (refusal) return void response.writeHead(400, { 'content-type': 'text/html' }).end(`Error 400: ${refusal}`)
    if (url.pathname !== authorize || url.searchParams.get('consent') === 'yes')
      return service.requestHandler(request, convertErrors(response))
    if (url.searchParams.get('consent') === 'no')
      return void response.writeHead(302, { location: buildDeniedRedirect(url).href }).end()
    response.writeHead(200, { 'content-type': 'text/html' }).end(renderConsentPage('Google', url))
  }
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer.url = `http://127.0.0.1:${getPort(server)}`
  const page = `${issuer.url}${authorize}`
  return {
    clientId,
    environment: {
      GOOGLE_OAUTH_CLIENT_ID: clientId,
      GOOGLE_OAUTH_CLIENT_SECRET: clientSecret,
      GOOGLE_OAUTH_ISSUER: issuer.url,
    },
    seat(next) {
      person = next
    },
    behave(next) {
      faultMode = next
    },
    forge(what) {
      forgery = what
    },
    async rotateKey() {
      ;({ kid } = await issuer.keys.generate('RS256'))
    },
    keyRequests: () => keyRequests,
    consent: (visit, scope = 'openid email profile') => grantConsent(buildVisitUrl(page, visit, scope)),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

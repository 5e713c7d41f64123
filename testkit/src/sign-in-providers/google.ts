import { decodeJwt } from 'jose'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Events, type MutableResponse, type MutableToken, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server'
import { sendFaultyResponse, type FaultMode } from '../fault-modes.ts'
import { getPort } from '../ports.ts'
import {
  buildVisitUrl,
  grantConsent,
  createCodes,
  type FakeProvider,
  renderConsentPage,
  buildDeniedRedirect,
  createPerson,
} from './consent.ts'

/**
 * A fake of Google as an OpenID provider. Adds to oauth2-mock-server the consent page, and codes that are bound to one
 * client, one redirect URI, and a single use.
 */

const clientId = 'patchbay.apps.googleusercontent.example'
const clientSecret = 'the-secret-that-google-gave'
const authorize = '/o/oauth2/v2/auth'
const token = '/token'

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

export const startFakeGoogle = async (): Promise<FakeProvider> => {
  let faultMode: FaultMode = 'ok'
  let person = createPerson()
  const codes = createCodes()
  const peopleById = new Map<string, typeof person>()
  const issuer = new OAuth2Issuer()
  await issuer.keys.generate('RS256')
  const service = new OAuth2Service(issuer, { authorize, token, userinfo: '/v1/userinfo' })

  const parseUrl = ({ url = '' }: IncomingMessage) => new URL(url, issuer.url)

  service.on(Events.BeforeAuthorizeRedirect, ({ url }: { url: URL }, request: IncomingMessage) => {
    codes.give(url.searchParams.get('code') ?? '', parseUrl(request), person)
  })
  service.on(Events.BeforeTokenSigning, ({ payload }: MutableToken, { body }: { body: TokenRequestBody }) => {
    const owner = codes.person(textIn(body, 'code'))
    if (owner) payload['sub'] = owner.id
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
    const owner = codes.take(read('code'), tokenRequest)
    if (owner === undefined) return refuseWith(answer, 400, 'invalid_grant', 'Bad Request')
    peopleById.set(owner.id, owner)
  })
  service.on(Events.BeforeUserinfo, (answer: MutableResponse, { headers }: IncomingMessage) => {
    const { sub = '' } = decodeJwt(headers.authorization?.slice('Bearer '.length) ?? '')
    const owner = peopleById.get(sub)
    if (owner === undefined) return refuseWith(answer, 401, 'invalid_token', 'Unauthorized')
    const { id, email, isVerified, name, picture } = owner
    answer.body = { sub: id, email, email_verified: isVerified, name, picture }
  })

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = parseUrl(request)
    if (faultMode !== 'ok') return sendFaultyResponse(response, faultMode)
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
    async consent(visit) {
      const back = await grantConsent(buildVisitUrl(page, visit, 'openid email profile'))
      return back.searchParams.get('code') ?? ''
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
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
  registeredRedirect,
  renderConsentPage,
} from './consent.ts'

/**
 * The parts of the GitHub API that a sign-in needs, according to its documentation
 * (docs.github.com/apps/oauth-apps/building-oauth-apps). Rejected codes have status 200.
 */

const clientId = 'Iv1.patchbay'
const clientSecret = 'the-secret-that-github-gave'

/** Scopes that allow to read email addresses. */
const emailScopes = ['user:email', 'user']

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Responds to a token request. Clients that do not accept JSON get a form. */
const sendToken = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  body: Readonly<Record<string, string>>,
): void => {
  if (headers.accept?.includes('application/json')) return send(response, 200, body)
  const form = new URLSearchParams(body).toString()
  response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }).end(form)
}

/** Returns the redirect after a request with a redirect URI that is not registered. */
const buildMismatchRedirect = (state: string): URL => {
  const back = new URL(registeredRedirect('github'))
  back.searchParams.set('error', 'redirect_uri_mismatch')
  back.searchParams.set('state', state)
  return back
}

export interface FakeGithub extends FakeProvider {
  /** Sets whether the person has a primary email address. */
  hasPrimary(has: boolean): void
}

export const startFakeGithub = async (): Promise<FakeGithub> => {
  let faultMode: FaultMode = 'ok'
  let person = createPerson()
  let primary = true
  const codes = createCodes()
  const tokens = new Map<string, Grant>()

  const consent = (url: URL, response: ServerResponse): void => {
    const read = (name: string) => url.searchParams.get(name) ?? ''
    if (read('client_id') !== clientId) return send(response, 404, { message: 'Not Found' })
    if (!isRegisteredRedirect('github', read('redirect_uri')))
      return void response.writeHead(302, { location: buildMismatchRedirect(read('state')).href }).end()
    const choice = url.searchParams.get('consent')
    if (choice === null)
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(renderConsentPage('GitHub', url))
    if (choice === 'no') return void response.writeHead(302, { location: buildDeniedRedirect(url).href }).end()
    const code = randomBytes(10).toString('hex')
    codes.give(code, url, person)
    const back = new URL(read('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', read('state'))
    response.writeHead(302, { location: back.href }).end()
  }

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request))
    const read = (name: string) => form.get(name) ?? ''
    const refuse = (error: string, error_description: string) =>
      sendToken(request, response, { error, error_description })
    if (read('client_id') !== clientId || read('client_secret') !== clientSecret)
      return refuse('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
    if (!isRegisteredRedirect('github', read('redirect_uri')))
      return refuse('redirect_uri_mismatch', 'The redirect_uri MUST match the registered callback URL.')
    const grant = codes.take(read('code'), {
      client_id: read('client_id'),
      redirect_uri: read('redirect_uri'),
      code_verifier: read('code_verifier'),
    })
    if (grant === undefined) return refuse('bad_verification_code', 'The code passed is incorrect or expired.')
    const access_token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(access_token, grant)
    sendToken(request, response, { access_token, token_type: 'bearer', scope: [...grant.scopes].join(',') })
  }

  const answer = (path: string, { headers }: IncomingMessage, response: ServerResponse): void => {
    if (!headers['user-agent']) return send(response, 403, { message: 'Request forbidden by administrative rules.' })
    const grant = tokens.get(headers.authorization?.replace(/^bearer /i, '') ?? '')
    if (grant === undefined) return send(response, 401, { message: 'Bad credentials' })
    const { id, login, name, picture, email, isVerified } = grant.person
    if (path === '/user') return send(response, 200, { id: Number(id), login, name, avatar_url: picture, email: null })
    if (!emailScopes.some((scope) => grant.scopes.has(scope))) return send(response, 404, { message: 'Not Found' })
    send(response, 200, [
      { email: `${login}@users.noreply.github.example`, primary: false, verified: true, visibility: null },
      { email, primary, verified: isVerified, visibility: 'private' },
    ])
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://github.example')
    if (faultMode !== 'ok') return sendFaultyResponse(response, faultMode)
    if (url.pathname === '/login/oauth/authorize') return consent(url, response)
    if (url.pathname === '/login/oauth/access_token') return exchange(request, response)
    if (url.pathname === '/user' || url.pathname === '/user/emails') return answer(url.pathname, request, response)
    send(response, 404, { message: 'Not Found' })
  }
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${getPort(server)}`
  return {
    clientId,
    environment: {
      GITHUB_CLIENT_ID: clientId,
      GITHUB_CLIENT_SECRET: clientSecret,
      GITHUB_BASE_URL: origin,
      GITHUB_API_URL: origin,
    },
    seat(next) {
      person = next
    },
    behave(next) {
      faultMode = next
    },
    hasPrimary(has) {
      primary = has
    },
    consent: (visit, scope = 'user:email') =>
      grantConsent(buildVisitUrl(`${origin}/login/oauth/authorize`, visit, scope)),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

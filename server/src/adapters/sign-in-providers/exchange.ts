import { isEmail } from '@patchbay/rules/identity/emails'
import * as client from 'openid-client'
import { describeError } from '../outbound-http/error-messages.ts'
import { createFetch } from '../outbound-http/fetch.ts'
import { mebibyte, operatorTransport } from '../outbound-http/transport.ts'
import { type SignInCode, SignInError } from './sign-in-provider.ts'

/**
 * The authorization code grant (RFC 6749 §4.1), which both providers share. PKCE (RFC 7636) is used if the client
 * started with it.
 */

const send = createFetch(operatorTransport, { maxResponseBytes: mebibyte })

/** Returns a `fetch` with one time limit for all of its requests together. */
export const fetchWithin = (seconds: number): client.CustomFetch => {
  const signal = AbortSignal.timeout(seconds * 1000)
  return (url, { method, headers, body }) => {
    // The library may send other kinds of bodies, but here it sends only forms or no body.
    const form = body instanceof URLSearchParams ? { body } : {}
    return send(url, { method, headers, ...form, signal })
  }
}

/** Allows HTTP without TLS if the operator configured such an address. */
export const insecureWhere = (base: string) => (base.startsWith('http:') ? [client.allowInsecureRequests] : [])

const unexpectedResponse = 'The sign-in provider returned an unexpected response'

/** Network errors and timeouts are found in the cause of the library's error. */
const findCause = (error: unknown): unknown => {
  const { cause } = error instanceof Error ? error : {}
  const isOutside = error instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError')
  return isOutside && cause instanceof Error ? findCause(cause) : error
}

const describeFailure = (failure: unknown): string => {
  const error = findCause(failure)
  if (error instanceof client.ResponseBodyError) return error.error.replaceAll('_', ' ').slice(0, 100)
  if (error instanceof client.WWWAuthenticateChallengeError) return 'The sign-in provider revoked its own token'
  if (error instanceof client.ClientError || error instanceof SyntaxError) return unexpectedResponse
  return describeError(error, 'sign-in provider')
}

/** Converts every failure to a SignInError with a message for the user. */
export const orSignInError = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SignInError ? error : new SignInError(describeFailure(error), { cause: error })
  }
}

/**
 * Throws the error for a response that is not as documented by the provider.
 * @throws SignInError always
 */
export const failUnexpected = (): never => {
  throw new SignInError(unexpectedResponse)
}

/** Exchanges a code for tokens. The console creates the state and verifies it. */
export const exchange = (
  configuration: client.Configuration,
  { code, redirect_uri, code_verifier, nonce }: SignInCode,
) => {
  const url = new URL(redirect_uri)
  url.searchParams.set('code', code)
  // Each provider redirects to a different address, so that a response of one cannot be mistaken for another's (RFC
  // 9700 §4.4.2).
  url.searchParams.set('iss', configuration.serverMetadata().issuer)
  return client.authorizationCodeGrant(configuration, url, {
    expectedState: client.skipStateCheck,
    ...(code_verifier === undefined ? {} : { pkceCodeVerifier: code_verifier }),
    ...(nonce === undefined ? {} : { expectedNonce: nonce }),
  })
}

/**
 * Returns the value if it is an email address.
 * @throws SignInError otherwise
 */
export const checkedEmail = (email: unknown): string =>
  typeof email === 'string' && isEmail(email) ? email : failUnexpected()

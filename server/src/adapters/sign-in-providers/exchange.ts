import { isEmail } from '@patchbay/contract/identity/emails'
import * as client from 'openid-client'
import { createFetch } from '../outbound-http/fetch.ts'
import { describeError } from '../outbound-http/error-messages.ts'
import { mebibyte, operatorTransport } from '../outbound-http/transport.ts'
import { SignInRefused, type SignInCode } from './sign-in-provider.ts'

/** What both providers are asked alike: by authorisation code (RFC 6749 §4.1), with PKCE (RFC 7636) where it was begun so. */

const send = createFetch(operatorTransport, { maxResponseBytes: mebibyte })

/** Returns a `fetch` whose requests have one time limit together. */
export const fetchWithin = (seconds: number): client.CustomFetch => {
  const signal = AbortSignal.timeout(seconds * 1000)
  return (url, { method, headers, body }) => {
    // Of what the library can send, only forms are sent here, or nothing.
    const form = body instanceof URLSearchParams ? { body } : {}
    return send(url, { method, headers, ...form, signal })
  }
}

/** Only an operator names an address without TLS. */
export const insecureWhere = (base: string) => (base.startsWith('http:') ? [client.allowInsecureRequests] : [])

const nonsense = 'The sign-in provider answered with something else than it should'

/** What the network says is in what caused the failure; that the time was over, too. */
const causeOf = (error: unknown): unknown => {
  const { cause } = error instanceof Error ? error : {}
  const isOutside = error instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError')
  return isOutside && cause instanceof Error ? causeOf(cause) : error
}

const wordsOf = (failure: unknown): string => {
  const error = causeOf(failure)
  if (error instanceof client.ResponseBodyError) return error.error.replaceAll('_', ' ').slice(0, 100)
  if (error instanceof client.WWWAuthenticateChallengeError) return 'The sign-in provider took back its own token'
  if (error instanceof client.ClientError || error instanceof SyntaxError) return nonsense
  return describeError(error, 'sign-in provider')
}

/** Whatever goes wrong is a refusal in words. */
export const orRefused = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SignInRefused ? error : new SignInRefused(wordsOf(error), { cause: error })
  }
}

export const refuseNonsense = (): never => {
  throw new SignInRefused(nonsense)
}

/** The tokens for a code. That the state came back is seen by the console, which made it. */
export const exchange = (
  configuration: client.Configuration,
  { code, redirect_uri, code_verifier, nonce }: SignInCode,
) => {
  const url = new URL(redirect_uri)
  url.searchParams.set('code', code)
  // Each provider comes back to an address of its own, so that none can be taken for another (RFC 9700 §4.4.2).
  url.searchParams.set('iss', configuration.serverMetadata().issuer)
  return client.authorizationCodeGrant(configuration, url, {
    expectedState: client.skipStateCheck,
    ...(code_verifier === undefined ? {} : { pkceCodeVerifier: code_verifier }),
    ...(nonce === undefined ? {} : { expectedNonce: nonce }),
  })
}

export const checkedEmail = (email: unknown): string =>
  typeof email === 'string' && isEmail(email) ? email : refuseNonsense()

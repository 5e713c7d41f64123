import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Registration } from '@patchbay/contract/registration'
import {
  type Identity,
  type SignInCode,
  SignInError,
  type SignInProviderName,
} from '../../adapters/sign-in-providers/sign-in-provider.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import type { LinkedUser } from '../../auth/sign-in-links.ts'
import type { Context } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'

/** Identifies visitors at Google and GitHub. */

const required = ['oauth2_code', 'oauth2_state', 'oauth2_client_id', 'oauth2_redirect_uri'] as const

/** Says where a request comes from. */
export type From = Pick<Context<'POST /register'>, 'address' | 'request_id' | 'signal'>

/** RFC 7636 §4.1 */
const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)

/**
 * Returns whether a redirect URI belongs to the console. URIs with a query, a fragment, or user information are
 * rejected.
 */
const isCallback = (text: string, publicUrl: string | null): boolean => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) return false
  return publicUrl === null || url.origin === new URL(publicUrl).origin
}

const parseCode = (
  { publicUrl, signInProviders }: Services['configuration'],
  body: Registration,
  provider: SignInProviderName,
): SignInCode => {
  for (const member of required)
    if (!body[member]) return throwInvalid(`missing ${member} for provider ${provider}`, member)
  const { oauth2_client_id, oauth2_redirect_uri, oauth2_code_verifier } = body
  if (oauth2_client_id !== signInProviders[provider]?.clientId)
    return throwInvalid('oauth2_client_id is not the one that is set here', 'oauth2_client_id')
  if (!oauth2_redirect_uri || !isCallback(oauth2_redirect_uri, publicUrl))
    return throwInvalid('oauth2_redirect_uri must be an address of this console', 'oauth2_redirect_uri')
  if (oauth2_code_verifier && !isVerifier(oauth2_code_verifier))
    return throwInvalid(
      'oauth2_code_verifier must be 43 to 128 letters, digits, dots, hyphens or tildes',
      'oauth2_code_verifier',
    )
  return {
    code: body.oauth2_code ?? '',
    redirect_uri: oauth2_redirect_uri,
    code_verifier: oauth2_code_verifier || undefined,
    nonce: body.oauth2_nonce || undefined,
  }
}

/** Records a rejected sign-in in the audit trail. */
export const recordRejection = ({ trail }: Services, user: LinkedUser | undefined, from: From, reason: string): void =>
  trail.note({ ...signInEvent('refused', user, from), reason })

/**
 * Returns who a visitor is, from the code that the provider has sent to the console.
 * @throws ApiError `unusable_registration`, `invalid`, or `sign_in_provider_rejected`
 */
export const identify = async (
  services: Services,
  body: Registration,
  provider: SignInProviderName,
  from: From,
): Promise<Identity> => {
  const providerClient = services.signInProviders[provider]
  if (providerClient === null)
    return throwApiError('unusable_registration', {
      msg: `sign-in with ${provider} is not set up here`,
      field: 'provider',
    })
  const code = parseCode(services.configuration, body, provider)
  return providerClient.identify(code).catch((error: unknown) => {
    if (!(error instanceof SignInError)) throw error
    recordRejection(services, undefined, from, error.message)
    return throwApiError('sign_in_provider_rejected', { msg: error.message })
  })
}

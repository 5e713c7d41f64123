import type { IncomingHttpHeaders } from 'node:http'
import { apiVersion } from './events.ts'
import { refuse } from './http.ts'

/** Checks of a request before its endpoint is executed: API key, version, and content type. */

export const stripeKeys = { secret: 'sk_test_of_the_tests', publishable: 'pk_test_of_the_tests', webhook: 'whsec_test' }

/** Returns the API key of an `authorization` header, or an empty string. */
export const parseApiKey = (header = ''): string => {
  const [scheme = '', value = ''] = header.split(' ')
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':')[0] ?? ''
  return scheme.toLowerCase() === 'bearer' ? value : ''
}

/** @param publishable true if the publishable key of browsers is sufficient */
export const checkKey = (key: string, publishable: boolean): void => {
  if (key === stripeKeys.secret || (publishable && key === stripeKeys.publishable)) return
  if (key === '') refuse('You did not provide an API key.', { status: 401 })
  if (key === stripeKeys.publishable)
    refuse('This API call cannot be made with a publishable API key. Please use a secret API key.', {
      status: 401,
      code: 'secret_key_required',
    })
  refuse(`Invalid API Key provided: ${key.slice(0, 8)}****`, { status: 401 })
}

/** Rejects other versions than the one of the fake (docs.stripe.com/api/versioning). */
const checkVersion = (version: string | undefined): void => {
  if (version !== undefined && version !== apiVersion) refuse(`Invalid Stripe API version: ${version}`)
}

/** Rejects bodies that are not forms. */
const checkContentType = (contentType = '', hasBody: boolean): void => {
  if (hasBody && contentType.split(';')[0]?.trim() !== 'application/x-www-form-urlencoded')
    refuse('Invalid request (check that your POST content type is application/x-www-form-urlencoded).')
}

export const checkHeaders = (headers: IncomingHttpHeaders, hasBody: boolean): void => {
  checkVersion(headers['stripe-version']?.toString())
  checkContentType(headers['content-type'], hasBody)
}

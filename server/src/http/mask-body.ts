import { maskCredentialsInText } from '@patchbay/contract/shared/masking'

/**
 * Returns a copy of a response body in which URLs have no user names and passwords. View-only users see records, alerts,
 * logs, and spans that others wrote, and any text of them can quote a URL with its credentials.
 */
export const maskCredentialsInBody = (body: unknown): unknown => {
  if (typeof body === 'string') return maskCredentialsInText(body)
  if (Array.isArray(body)) return body.map(maskCredentialsInBody)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, maskCredentialsInBody(value)]))
}

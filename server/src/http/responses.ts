import { throwApiError } from '@patchbay/contract/api/errors'
import { maskCredentialsInText } from '@patchbay/rules/masking/masking'

/**
 * Creates the responses of handlers, with a literal status so that the contract's types apply. A handler that returns
 * nothing responds with 204.
 */
export const ok = <T>(body: T): { status: 200; body: T } => ({ status: 200, body })
export const created = <T>(body: T): { status: 201; body: T } => ({ status: 201, body })
export const noContent = { status: 204, body: undefined } as const

/** Responds with the SID of a created record. */
export const createdSid = async (sid: Promise<string>) => created({ sid: await sid })

/** Responds with a record, or with 404 if it does not exist. */
export const okOrNotFound = async <T>(record: Promise<T | undefined>) =>
  ok((await record) ?? throwApiError('not_found'))

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

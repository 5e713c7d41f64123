import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { OutboundResponse, OutgoingRequest } from '../outbound-http/outgoing.ts'
import { type VendorContext, VendorError } from './speech.ts'

/** HTTP requests to speech vendors. */

type Request = Omit<OutgoingRequest, 'stop'>

/**
 * Extracts the vendor's own error message from a response. Returns an empty string if the HTTP status is to be reported
 * instead.
 */
export type ReasonParser = (answer: OutboundResponse) => string

const describeStatus = ({ status, statusText }: OutboundResponse): string =>
  statusText || STATUS_CODES[status] || `The vendor answered with status ${status}`

/** Uses the response body as the error message. */
export const bodyText: ReasonParser = ({ body }) => body.toString().trim()

/** Uses the string at a path within the JSON response as the error message. */
export const reasonAt =
  (...path: string[]): ReasonParser =>
  ({ body }) => {
    try {
      const step = (value: unknown, member: string): unknown => (value as Record<string, unknown>)[member]
      const message = path.reduce(step, JSON.parse(body.toString()))
      return typeof message === 'string' ? message : ''
    } catch {
      return ''
    }
  }

/**
 * Sends a request and returns the response.
 * @throws VendorError for any status other than 2xx, with the message that `reason` extracts or with the status text
 */
export const sendRequest = async (
  { outgoing, stop }: VendorContext,
  url: string,
  request: Request = {},
  reason: ReasonParser = () => '',
): Promise<OutboundResponse> => {
  const answer = await outgoing.send(url, { ...request, stop })
  if (answer.status < 200 || answer.status > 299) throw new VendorError(reason(answer) || describeStatus(answer))
  return answer
}

/** Builds a POST request with a JSON body. */
export const jsonRequest = (body: unknown, headers: Readonly<Record<string, string>> = {}): Request => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/**
 * Parses the parts of a JSON response that `schema` describes.
 * @throws VendorError if the response is not JSON or does not match
 */
export const parseJson = <T>({ body }: Pick<OutboundResponse, 'body'>, schema: z.ZodType<T>): T => {
  try {
    return schema.parse(JSON.parse(body.toString()))
  } catch {
    throw new VendorError('The vendor returned an unexpected response')
  }
}

/**
 * Returns the body of an audio response.
 * @throws VendorError if the body is empty or is text
 */
export const parseAudio = ({ headers, body }: OutboundResponse): Buffer => {
  if (body.length === 0 || /^(?:text|application\/json)/.test(headers['content-type'] ?? ''))
    throw new VendorError('The vendor answered without audio')
  return body
}

/** Audio that a vendor embeds in JSON. */
export const base64Audio = z
  .base64()
  .min(1)
  .transform((text) => Buffer.from(text, 'base64'))

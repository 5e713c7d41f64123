import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { OutboundResponse, OutgoingRequest } from '../outbound-http/outgoing.ts'
import { type VendorContext, VendorRefused } from './speech.ts'

/** Requests to vendors over plain HTTP. */

type Request = Omit<OutgoingRequest, 'stop'>

/** The reason of a refusal that a vendor words by itself; empty: the status says it. */
export type ReasonParser = (answer: OutboundResponse) => string

const byStatus = ({ status, statusText }: OutboundResponse): string =>
  statusText || STATUS_CODES[status] || `The vendor answered with status ${status}`

/** The vendor's own text. */
export const bodyText: ReasonParser = ({ body }) => body.toString().trim()

/** The vendor's own text, at a place within its JSON. */
export const reasonAt =
  (...path: string[]): ReasonParser =>
  ({ body }) => {
    try {
      const step = (value: unknown, member: string): unknown => (value as Record<string, unknown>)[member]
      const found = path.reduce(step, JSON.parse(body.toString()))
      return typeof found === 'string' ? found : ''
    } catch {
      return ''
    }
  }

/** Any answer of 2xx; others are told by their status, or by `reason`. */
export const ask = async (
  { outgoing, stop }: VendorContext,
  url: string,
  request: Request = {},
  reason: ReasonParser = () => '',
): Promise<OutboundResponse> => {
  const answer = await outgoing.send(url, { ...request, stop })
  if (answer.status < 200 || answer.status > 299) throw new VendorRefused(reason(answer) || byStatus(answer))
  return answer
}

/** JSON as a request has it. */
export const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): Request => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** The JSON of an answer, of which `schema` names what is read. */
export const read = <T>({ body }: Pick<OutboundResponse, 'body'>, schema: z.ZodType<T>): T => {
  try {
    return schema.parse(JSON.parse(body.toString()))
  } catch {
    throw new VendorRefused('The vendor answered with something else than it should')
  }
}

/** Audio is not empty, and no text. */
export const parseAudio = ({ headers, body }: OutboundResponse): Buffer => {
  if (body.length === 0 || /^(?:text|application\/json)/.test(headers['content-type'] ?? ''))
    throw new VendorRefused('The vendor answered without audio')
  return body
}

/** Audio within JSON. */
export const base64Audio = z
  .base64()
  .min(1)
  .transform((text) => Buffer.from(text, 'base64'))

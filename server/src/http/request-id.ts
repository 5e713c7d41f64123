import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { requestIdHeader } from '@patchbay/contract/api/request-ids'
import type { FastifyReply } from 'fastify'

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Returns the request ID of a trusted proxy, or a new one. Other clients cannot set the ID, because they could make two
 * requests appear as one.
 */
export const parseRequestId = ({ headers }: IncomingMessage, trustedProxies: number): string => {
  const requestId = headers[requestIdHeader]
  return trustedProxies > 0 && typeof requestId === 'string' && requestIdPattern.test(requestId)
    ? requestId
    : randomUUID()
}

export const sendRequestId = (reply: FastifyReply): FastifyReply => reply.header(requestIdHeader, reply.request.id)

/**
 * Returns the request ID as the ID of a trace (W3C Trace Context), so that users who copy it from an error also have the
 * trace. Returns undefined if a proxy has set an ID of another form than a UUID or 32 hexadecimal digits.
 */
export const toTraceId = (requestId: string): string | undefined => {
  const digits = requestId.replaceAll('-', '').toLowerCase()
  return /^(?!0+$)[0-9a-f]{32}$/.test(digits) ? digits : undefined
}

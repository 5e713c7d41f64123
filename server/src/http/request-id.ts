import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import type { FastifyReply } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

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

import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import type { FastifyReply } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const plain = /^[A-Za-z0-9._-]{1,64}$/

/** That of the proxies in front, where they are trusted: nobody else may make two requests look like one. */
export const parseRequestId = ({ headers }: IncomingMessage, trustedProxies: number): string => {
  const given = headers[requestIdHeader]
  return trustedProxies > 0 && typeof given === 'string' && plain.test(given) ? given : randomUUID()
}

export const sendRequestId = (reply: FastifyReply): FastifyReply => reply.header(requestIdHeader, reply.request.id)

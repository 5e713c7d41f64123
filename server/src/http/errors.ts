import { ApiError, type ApiErrorCode } from '@patchbay/contract/errors'
import { requestIdHeader } from '@patchbay/contract/shared/request-ids'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { z } from 'zod'
import { classifyDbError, UnknownCommitError } from '../database/engine.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { protectingHeaders } from './security-headers.ts'

/** The one place where what went wrong becomes an answer: JSON with a readable msg, never a text of a library. */

/** What Fastify and its plugins find wrong with a request, by code or else by the status they give it. */
const ofRequest: Readonly<Record<string | number, ApiErrorCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  404: 'no_such_path',
  413: 'too_large',
  415: 'unsupported_media_type',
}

/** Fastify names its errors so; an error of the connection that it was reading a body from keeps its own code. */
const isOfRequest = (error: Error): boolean =>
  getErrorCode(error).startsWith('FST_') || getErrorCode(error) === 'ECONNRESET'

/**
 * Returns the status, 400 to 499, of an error of Fastify or of the body of a request that broke off. Errors of libraries
 * that call other services have a `statusCode` too, which says nothing about the caller of this server.
 */
const requestStatusOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  if (!isOfRequest(error)) return undefined
  return error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : undefined
}

const requestRefusal = (error: unknown): ApiError | undefined => {
  const status = requestStatusOf(error)
  if (status === undefined) return undefined
  return new ApiError(ofRequest[getErrorCode(error)] ?? ofRequest[status] ?? 'bad_request')
}

/** The text of the first thing wrong with a value, naming the member. */
export const validationRefusal = (error: z.ZodError): ApiError => {
  const [issue] = error.issues
  if (issue === undefined) return new ApiError('invalid')
  const field = issue.path.join('.')
  return new ApiError('invalid', {
    msg: issueText(issue, field),
    ...(fieldOf(issue, field) ? { field: fieldOf(issue, field) } : {}),
  })
}

const fieldOf = (issue: z.core.$ZodIssue, field: string): string =>
  issue.code === 'unrecognized_keys' ? [field, issue.keys[0]].filter(Boolean).join('.') : field

const issueText = (issue: z.core.$ZodIssue, field: string): string => {
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_type' && issue.input === undefined && field !== '') return `missing field ${field}`
  // What is wrong with the body as a whole says so itself.
  if (field === '' && issue.code !== 'custom')
    return `the body must be a JSON ${'expected' in issue && issue.expected === 'array' ? 'list' : 'object'}`
  // A text of the wire stands alone; ours say what the named field must be, and zod's own begin with a capital.
  const standsAlone = !/^(?:must |[A-Z])/.test(issue.message)
  return standsAlone ? issue.message : `${field} ${lowered(issue.message)}`
}

const lowered = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)

const databaseRefusal = (error: unknown): ApiError | undefined => {
  if (error instanceof UnknownCommitError) return new ApiError('outcome_unknown')
  const found = classifyDbError(error)
  switch (found?.fault) {
    case undefined:
      return undefined
    case 'duplicate':
      return new ApiError('duplicate', {
        msg: found.column ? `Duplicate entry: ${found.column} is already in use` : 'Duplicate entry',
        ...(found.column ? { field: found.column } : {}),
      })
    case 'missing_parent':
      return new ApiError('invalid', { msg: 'refers to something that does not exist' })
    case 'still_referenced':
      return new ApiError('duplicate', { msg: 'still in use by something else' })
    case 'unreachable':
      return new ApiError('unavailable')
    case 'conflict':
      return new ApiError('unavailable', { msg: 'Others are changing the same thing, please try again' })
    case 'unwritable':
      return new ApiError('no_room')
    default:
      return new ApiError('internal')
  }
}

export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  return requestRefusal(error) ?? databaseRefusal(error) ?? new ApiError('internal')
}

const challenge = (request: FastifyRequest): string =>
  `Bearer realm="Users"${request.headers.authorization ? ', error="invalid_token"' : ''}`

export const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const refused = toApiError(error)
  if (refused.status >= 500) request.log.error({ err: error }, 'request failed')
  if (refused.status === 401) void reply.header('www-authenticate', challenge(request))
  if (refused.retryAfter !== undefined) void reply.header('retry-after', refused.retryAfter)
  return reply.code(refused.status).send(refused.body)
}

const ofParser: Readonly<Record<string, ApiErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timed_out',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** What cannot be read as a request at all has no reply to go through. */
export const handleClientError = (error: Error, socket: Socket): void => {
  if (socket.writable && getErrorCode(error) !== 'ECONNRESET') {
    const { status, body } = new ApiError(ofParser[getErrorCode(error)] ?? 'bad_request')
    const text = JSON.stringify(body)
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      `${requestIdHeader}: ${randomUUID()}`,
      ...Object.entries(protectingHeaders).map(([name, value]) => `${name}: ${value}`),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  }
  socket.destroy(error)
}

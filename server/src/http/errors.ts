import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ApiErrorCode } from '@patchbay/contract/api/errors'
import { requestIdHeader } from '@patchbay/contract/api/request-ids'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { classifyDbError, UnknownCommitError } from '../database/engine.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { protectingHeaders } from './security-headers.ts'

/** Converts all errors to responses: JSON with a readable msg, which never contains a message of a library. */

/** Error codes for errors of Fastify and its plugins, by error code or by status. */
const requestErrorCodes: Readonly<Record<string | number, ApiErrorCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  404: 'unknown_path',
  413: 'too_large',
  415: 'unsupported_media_type',
}

/**
 * Fastify's own error codes start with FST_. If a connection breaks while Fastify reads a body, the error keeps the
 * code of the connection.
 */
const isRequestError = (error: Error): boolean =>
  getErrorCode(error).startsWith('FST_') || getErrorCode(error) === 'ECONNRESET'

/**
 * Returns the status, 400 to 499, of an error of Fastify or of an interrupted request body. Errors of libraries that
 * call other services may have a `statusCode` too, which is unrelated to the request of this server's caller.
 */
const getRequestStatus = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  if (!isRequestError(error)) return undefined
  return error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : undefined
}

const toRequestError = (error: unknown): ApiError | undefined => {
  const status = getRequestStatus(error)
  if (status === undefined) return undefined
  return new ApiError(requestErrorCodes[getErrorCode(error)] ?? requestErrorCodes[status] ?? 'bad_request')
}

/** Returns an error that describes the first invalid field. */
export const toValidationError = (error: z.ZodError): ApiError => {
  const [issue] = error.issues
  if (issue === undefined) return new ApiError('invalid')
  const field = issue.path.join('.')
  return new ApiError('invalid', {
    msg: issueText(issue, field),
    ...(getField(issue, field) ? { field: getField(issue, field) } : {}),
  })
}

const getField = (issue: z.core.$ZodIssue, field: string): string =>
  issue.code === 'unrecognized_keys' ? [field, issue.keys[0]].filter(Boolean).join('.') : field

const issueText = (issue: z.core.$ZodIssue, field: string): string => {
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_type' && issue.input === undefined && field !== '') return `missing field ${field}`
  // Custom messages for the whole body are complete sentences.
  if (field === '' && issue.code !== 'custom')
    return `the body must be a JSON ${'expected' in issue && issue.expected === 'array' ? 'list' : 'object'}`
  // Messages that the API specification defines are complete. Patchbay's own start with "must", zod's with a capital
  // letter, and both need the name of the field.
  const standsAlone = !/^(?:must |[A-Z])/.test(issue.message)
  return standsAlone ? issue.message : `${field} ${lowerFirst(issue.message)}`
}

const lowerFirst = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)

const toDatabaseError = (error: unknown): ApiError | undefined => {
  if (error instanceof UnknownCommitError) return new ApiError('outcome_unknown')
  const dbError = classifyDbError(error)
  switch (dbError?.fault) {
    case undefined:
      return undefined
    case 'duplicate':
      return new ApiError('duplicate', {
        msg: dbError.column ? `Duplicate entry: ${dbError.column} is already in use` : 'Duplicate entry',
        ...(dbError.column ? { field: dbError.column } : {}),
      })
    case 'missing_parent':
      return new ApiError('invalid', { msg: 'refers to something that does not exist' })
    case 'still_referenced':
      return new ApiError('duplicate', { msg: 'still in use by something else' })
    case 'timeout':
      return new ApiError('timed_out')
    case 'unreachable':
      return new ApiError('unavailable')
    case 'conflict':
      return new ApiError('unavailable', { msg: 'Another request is changing the same record. Try again' })
    case 'unwritable':
      return new ApiError('insufficient_storage')
    default:
      return new ApiError('internal')
  }
}

export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  return toRequestError(error) ?? toDatabaseError(error) ?? new ApiError('internal')
}

/** Signed endpoints name their header as the authentication scheme, because they accept no tokens. */
const challenge = ({ headers, routeOptions }: FastifyRequest): string =>
  routeOptions.config.signedBy ?? `Bearer realm="Users"${headers.authorization ? ', error="invalid_token"' : ''}`

export const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const apiError = toApiError(error)
  if (apiError.status >= 500) request.log.error({ err: error }, 'request failed')
  if (apiError.status === 401) void reply.header('www-authenticate', challenge(request))
  if (apiError.retryAfter !== undefined) void reply.header('retry-after', apiError.retryAfter)
  return reply.code(apiError.status).send(apiError.body)
}

const parserErrorCodes: Readonly<Record<string, ApiErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timed_out',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/**
 * Responds to a request that Node cannot parse. There is no Fastify reply, so the response is written to the socket.
 */
export const handleClientError = (error: Error, socket: Socket): void => {
  if (socket.writable && getErrorCode(error) !== 'ECONNRESET') {
    const { status, body } = new ApiError(parserErrorCodes[getErrorCode(error)] ?? 'bad_request')
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

import { Refused, type RefusalCode } from '@patchbay/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { faultOf } from '../database/engine.ts'

/** The one place where what went wrong becomes an answer: JSON with a readable msg, never a text of a library. */

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const ofFastify: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_VALIDATION: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_ASYNC_CONSTRAINT: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'bad_request',
}

/** The text of the first thing wrong with a value, naming the member. */
export const validationRefusal = (error: z.ZodError): Refused => {
  const [issue] = error.issues
  if (issue === undefined) return new Refused('invalid')
  const field = issue.path.join('.')
  return new Refused('invalid', {
    msg: issueText(issue, field),
    ...(fieldOf(issue, field) ? { field: fieldOf(issue, field) } : {}),
  })
}

const fieldOf = (issue: z.core.$ZodIssue, field: string): string =>
  issue.code === 'unrecognized_keys' ? [field, issue.keys[0]].filter(Boolean).join('.') : field

const issueText = (issue: z.core.$ZodIssue, field: string): string => {
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_type' && issue.input === undefined && field !== '') return `missing field ${field}`
  if (field === '') return 'the body must be a JSON object'
  // A text of the wire stands alone; ours say what the named field must be, and zod's own begin with a capital.
  const standsAlone = !/^(?:must |[A-Z])/.test(issue.message)
  return standsAlone ? issue.message : `${field} ${lowered(issue.message)}`
}

const lowered = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)

const databaseRefusal = (error: unknown): Refused | undefined => {
  const found = faultOf(error)
  switch (found?.fault) {
    case undefined:
      return undefined
    case 'duplicate':
      return new Refused('duplicate', {
        msg: found.column ? `Duplicate entry: ${found.column} is already in use` : 'Duplicate entry',
        ...(found.column ? { field: found.column } : {}),
      })
    case 'missing_parent':
      return new Refused('invalid', { msg: 'refers to something that does not exist' })
    case 'still_referenced':
      return new Refused('duplicate', { msg: 'still in use by something else' })
    case 'unreachable':
      return new Refused('unavailable')
    case 'conflict':
      return new Refused('unavailable', { msg: 'Others are changing the same thing, please try again' })
    case 'unwritable':
      return new Refused('no_room')
    default:
      return new Refused('internal')
  }
}

export const refusalOf = (error: unknown): Refused => {
  if (error instanceof Refused) return error
  if (error instanceof z.ZodError) return validationRefusal(error)
  const known = ofFastify[codeOf(error)]
  if (known !== undefined) return new Refused(known)
  if (error instanceof SyntaxError) return new Refused('malformed_json')
  return databaseRefusal(error) ?? new Refused('internal')
}

const challenge = (request: FastifyRequest): string =>
  `Bearer realm="Users"${request.headers.authorization ? ', error="invalid_token"' : ''}`

export const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const refused = refusalOf(error)
  if (refused.status >= 500) request.log.error({ err: error }, 'request failed')
  if (refused.status === 401) void reply.header('www-authenticate', challenge(request))
  if (refused.retryAfter !== undefined) void reply.header('retry-after', refused.retryAfter)
  return reply.code(refused.status).send(refused.body)
}

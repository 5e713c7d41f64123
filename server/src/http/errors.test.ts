import { expect, test } from 'vitest'
import { z } from 'zod'
import { toApiError } from './errors.ts'

const catchError = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

/** Errors that occur while reading the response of another service. */
test.each([
  ['a SyntaxError of JSON.parse', catchError(() => JSON.parse('<html>'))],
  ['a ZodError', catchError(() => z.object({ name: z.string() }).parse({}))],
  [
    'an SDK error with status 403',
    Object.assign(new Error('Forbidden'), { statusCode: 403, code: 'AuthorizationFailure' }),
  ],
  ['an SDK error with status 404 and without a code', Object.assign(new Error('Not found'), { statusCode: 404 })],
])('does not blame the caller for %s', (_, error) => {
  expect(toApiError(error).status).toBe(500)
})

test.each([
  ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 400],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 413],
  // Fastify adds this status to the error of a connection that broke while it read a body.
  ['ECONNRESET', 400, 400],
])('blames the caller for %s of Fastify', (code, statusCode, status) => {
  expect(toApiError(Object.assign(new Error('x'), { code, statusCode })).status).toBe(status)
})

test.each(['ER_STATEMENT_TIMEOUT', 'ER_UNUSED_1'])('reports a statement that took too long (%s)', (code) => {
  expect(toApiError(Object.assign(new Error('x'), { code }))).toMatchObject({ status: 503, code: 'timed_out' })
})

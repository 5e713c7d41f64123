import { afterAll, expect, test, vi } from 'vitest'
import type { ApiError } from './api-error.ts'

// The session listens to the window from the moment it is loaded.
vi.stubGlobal('window', { addEventListener: () => {}, location: { origin: 'https://pbx.example' } })

const { api: call } = await import('./client.ts')
afterAll(() => vi.unstubAllGlobals())

/** Returns the error that a call fails with if the server sends this response. */
const getCallError = (status: number, body: string, headers: Record<string, string>): Promise<ApiError> => {
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers }))
  return call('GET /Accounts', {}).then(
    () => Promise.reject(new Error('it did not fail')),
    (failure: ApiError) => failure,
  )
}

test.each([
  ['rejected', 403, '{"msg": "insufficient permissions"}'],
  ['rejected', 500, '{"msg": "Something went wrong, please try again"}'],
  ['session-ended', 401, '{"msg": "Unauthorized"}'],
  ['unparsable', 502, '<h1>Bad gateway</h1>'],
  ['unparsable', 200, ''],
] as const)('a call that is %s with %i knows the id of its request, where the server tells it', async (...answer) => {
  const [kind, status, body] = answer
  const failure = await getCallError(status, body, { 'x-request-id': '7f3b' })
  expect([failure.kind, failure.status, failure.requestId]).toEqual([kind, status, '7f3b'])
  expect((await getCallError(status, body, {})).requestId).toBeUndefined()
})

test('an error without a response has no request id', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const failed: unknown = await call('GET /Accounts', {}, { background: true }).catch((failure: unknown) => failure)
  expect(failed).toMatchObject({ kind: 'unreachable', requestId: undefined })
})

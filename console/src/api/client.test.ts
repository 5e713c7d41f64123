import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ApiError } from './api-error.ts'

// The session listens to the window from the moment it is loaded.
vi.stubGlobal('window', { addEventListener: () => {}, location: { origin: 'https://pbx.example' } })

const { api: call } = await import('./client.ts')
const { fetchBinary } = await import('./fetch-binary.ts')
const { isReconnecting } = await import('./reconnect.ts')
const { forgetTaggedResponses } = await import('./tagged-responses.ts')
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

test.each(['{"msg": "A required service cannot be reached. Try again."}', '<h1>Bad gateway</h1>'])(
  'a failed download knows the id of its request (%s)',
  async (body) => {
    vi.stubGlobal('fetch', async () => new Response(body, { status: 503, headers: { 'x-request-id': '7f3b' } }))
    await expect(fetchBinary('/Accounts')).rejects.toMatchObject({ status: 503, requestId: '7f3b' })
  },
)

test('an error without a response has no request id', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const failed: unknown = await call('GET /Accounts', {}, { background: true }).catch((failure: unknown) => failure)
  expect(failed).toMatchObject({ kind: 'unreachable' })
  expect(failed).not.toHaveProperty('requestId')
})

describe('a repeated read', () => {
  const tagged = (tag: string, body: string) => new Response(body, { status: 200, headers: { etag: tag } })
  const unchanged = (tag: string) => new Response(null, { status: 304, headers: { etag: tag } })
  /** Stubs `fetch` with these responses, one after another. Returns the tags of the requests. */
  const answerWith = (...answers: readonly Response[]): (string | null)[] => {
    const requestTags: (string | null)[] = []
    vi.stubGlobal('fetch', async (_address: string, { headers }: RequestInit = {}) => {
      requestTags.push(new Headers(headers).get('if-none-match'))
      return answers[requestTags.length - 1]
    })
    return requestTags
  }
  beforeEach(forgetTaggedResponses)

  test('sends the tag of the last response, and returns the same object for 304', async () => {
    const requestTags = answerWith(tagged('W/"1"', '[]'), unchanged('W/"1"'), tagged('W/"2"', '[]'), unchanged('W/"2"'))
    const bodies = []
    for (let read = 0; read < 4; read += 1) bodies.push(await call('GET /Accounts', {}))
    expect(requestTags).toEqual([null, 'W/"1"', 'W/"1"', 'W/"2"'])
    const [first, second, third, fourth] = bodies
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(fourth).toBe(third)
  })

  test('sends no tag for another URL, for a change, and after the session has ended', async () => {
    const requestTags = answerWith(...['"1"', '"2"', '"3"', '"4"'].map((tag) => tagged(tag, '{}')))
    await call('GET /Accounts/:account_sid', { params: { account_sid: 'A' } })
    await call('GET /Accounts/:account_sid', { params: { account_sid: 'B' } })
    await call('PUT /Accounts/:account_sid', { params: { account_sid: 'A' }, body: {} })
    forgetTaggedResponses()
    await call('GET /Accounts/:account_sid', { params: { account_sid: 'A' } })
    expect(requestTags).toEqual([null, null, null, null])
  })

  test('sends no tag after a response without one, as of a server on another origin', async () => {
    const requestTags = answerWith(tagged('"1"', '[]'), new Response('[]'), new Response('[]'))
    for (let read = 0; read < 3; read += 1) await call('GET /Accounts', {})
    expect(requestTags).toEqual([null, '"1"', null])
  })

  test('keeps the tag after a failure', async () => {
    const requestTags = answerWith(
      tagged('"1"', '[]'),
      new Response('{"msg": "Try again"}', { status: 503 }),
      unchanged('"1"'),
    )
    const first = await call('GET /Accounts', {})
    await expect(call('GET /Accounts', {})).rejects.toMatchObject({ status: 503 })
    expect(await call('GET /Accounts', {})).toBe(first)
    expect(requestTags).toEqual([null, '"1"', '"1"'])
  })

  test('keeps the 30 last responses', async () => {
    const read = (account_sid: number) =>
      call('GET /Accounts/:account_sid', { params: { account_sid: String(account_sid) } })
    const requestTags = answerWith(...Array.from({ length: 33 }, (_, position) => tagged(`"${position}"`, '{}')))
    for (let position = 0; position <= 30; position += 1) await read(position)
    await read(1)
    await read(0)
    expect(requestTags.slice(-2)).toEqual(['"1"', null])
  })
})

describe('an update of a record that was read', () => {
  const params = { client_sid: 'A' }
  /** Stubs `fetch` with these responses, one after another. Returns the versions that the requests name. */
  const answerWith = (...answers: readonly Response[]): (string | null)[] => {
    const versions: (string | null)[] = []
    vi.stubGlobal('fetch', async (_address: string, { headers }: RequestInit = {}) => {
      versions.push(new Headers(headers).get('if-match'))
      return answers[versions.length - 1]
    })
    return versions
  }
  const record = (status: number, body: object, version: string) =>
    new Response(JSON.stringify(body), { status, headers: { 'record-version': version } })
  const save = (base?: object) => call('PUT /Clients/:client_sid', { params, body: {} }, { base })

  test('names its version, and after a conflict that of the current record', async () => {
    const versions = answerWith(
      record(200, { username: 'a' }, '"1"'),
      record(412, { msg: 'changed', record: { username: 'b' } }, '"2"'),
      new Response(null, { status: 204, headers: { 'record-version': '"3"' } }),
    )
    const base = await call('GET /Clients/:client_sid', { params })
    const failure = await save(base).catch((error: unknown) => error as ApiError)
    await save((failure as ApiError).answer['record'] as object)
    expect(versions).toEqual([null, '"1"', '"2"'])
  })

  test('names a version that no record has if that of the record is unknown', async () => {
    const versions = answerWith(new Response(null, { status: 204 }), new Response(null, { status: 204 }))
    await save({ username: 'a copy' })
    await save()
    expect(versions).toEqual(['""', null])
  })
})

describe('during an outage', () => {
  const requests: string[] = []
  let isUp = false
  beforeEach(() => {
    vi.useFakeTimers()
    requests.length = 0
    isUp = false
    vi.stubGlobal('fetch', async (address: string | URL, { method = 'GET' }: RequestInit = {}) => {
      requests.push(`${method} ${new URL(address).pathname}`)
      if (!isUp) throw new TypeError('Failed to fetch')
      return new Response('[]', { status: 200 })
    })
    return () => vi.useRealTimers()
  })

  test('ERRORS-06 repeats reads and updates until the server responds', async () => {
    const read = call('GET /Accounts', {})
    const update = call('PUT /Accounts/:account_sid', { params: { account_sid: 'A' }, body: {} })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(isReconnecting()).toBe(true)
    isUp = true
    await vi.advanceTimersByTimeAsync(2000)
    expect(await read).toEqual([])
    await update
    expect(isReconnecting()).toBe(false)
  })

  test('ERRORS-06 gives up after 60 s', async () => {
    const failure = call('GET /Accounts', {}).catch((error: ApiError) => error.kind)
    await vi.advanceTimersByTimeAsync(58_000)
    expect(isReconnecting()).toBe(true)
    await vi.advanceTimersByTimeAsync(4000)
    expect(await failure).toBe('unreachable')
    expect(isReconnecting()).toBe(false)
  })

  test('ERRORS-06 gives up a refresh in the background after a few seconds', async () => {
    const failure = call('GET /Accounts', {}, { unasked: true }).catch((error: ApiError) => error.kind)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await failure).toBe('unreachable')
  })

  test('ERRORS-06 sends a deletion once, after the server responds', async () => {
    const read = call('GET /Accounts', {})
    await vi.advanceTimersByTimeAsync(100)
    const deletion = call('DELETE /Accounts/:account_sid', { params: { account_sid: 'A' }, body: {} })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requests).not.toContain('DELETE /api/v1/Accounts/A')
    expect(requests).toContain('GET /health')
    isUp = true
    await vi.advanceTimersByTimeAsync(2000)
    await Promise.all([read, deletion])
    expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual(['DELETE /api/v1/Accounts/A'])
  })

  test('ERRORS-06 does not repeat an update whose repetition has another effect', async () => {
    const input = { params: { account_sid: 'A', call_sid: 'C' }, body: { whisper: 'https://example.org/verbs' } }
    const message = call('PUT /Accounts/:account_sid/Calls/:call_sid', input, { once: true }).catch(String)
    await vi.advanceTimersByTimeAsync(10_000)
    isUp = true
    await vi.advanceTimersByTimeAsync(2000)
    expect(await message).toContain('The connection was lost before the server responded')
    expect(requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
  })

  test('ERRORS-06 does not repeat a lost deletion, and reports it when the server responds', async () => {
    const message = call('DELETE /Accounts/:account_sid', { params: { account_sid: 'A' }, body: {} }).catch(String)
    await vi.advanceTimersByTimeAsync(10_000)
    isUp = true
    await vi.advanceTimersByTimeAsync(2000)
    expect(await message).toContain('The connection was lost before the server responded')
    expect(requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeJaeger, startFakeJaeger } from './jaeger.ts'

let jaeger: FakeJaeger
beforeAll(async () => {
  jaeger = await startFakeJaeger()
})
afterAll(() => jaeger.stop())

const trace_id = 'c0ffee00c0ffee00c0ffee00c0ffee00'

const send = async (path: string, method = 'GET') => {
  const response = await fetch(jaeger.base + path, { method })
  return [response.status, response.headers.get('content-type'), await response.text()]
}

test('returns traces of its API v3 as JSON, with several results on lines of their own', async () => {
  const body = '{"result":{"resourceSpans":[]}}\n{"result":{"resourceSpans":[]}}\n'
  jaeger.traces.set(trace_id, body)
  expect(await send(`/api/v3/traces/${trace_id}`)).toEqual([200, 'application/json', body])
})

test('rejects unknown and malformed trace ids, other methods, and the path of the older API', async () => {
  const none = await send(`/api/v3/traces/${'1'.repeat(32)}`)
  expect(none).toEqual([404, 'application/json', expect.stringContaining('No traces found')])
  for (const malformed of [trace_id.toUpperCase(), `${trace_id}0`, 'x'])
    expect(await send(`/api/v3/traces/${malformed}`)).toEqual([
      400,
      'application/json',
      expect.stringContaining('malformed parameter trace_id'),
    ])
  expect((await send(`/api/v3/traces/${trace_id}`, 'POST'))[0]).toBe(405)
  expect((await send(`/api/traces/${trace_id}`))[0]).toBe(404)
})

import { createServer } from 'node:net'
import { type FeatureServer as FakeFeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { freePort } from '@patchbay/testkit/servers/ports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFeatureServer } from './feature-server.ts'
import { matchesGlob } from './glob-match.ts'

let featureServer: FakeFeatureServer
beforeAll(async () => {
  featureServer = await startFeatureServer(0)
})
afterAll(() => featureServer.close())

const post = (bases: readonly string[], milliseconds = 10_000) =>
  createFeatureServer(milliseconds).post(bases, 'v1/createCall', { from: '1' })

test('gives up on a slow feature server without trying another', async () => {
  featureServer.answer = () => {}
  const other = await startFeatureServer(0)
  await expect(post([featureServer.url, other.url], 50)).rejects.toMatchObject({
    code: 'feature_server_timeout',
    status: 503,
  })
  expect(other.heard).toEqual([])
  await other.close()
})

test('skips unreachable feature servers, and reports if none can be reached', async () => {
  featureServer.answer = (response) => response.writeHead(201).end('{"sid":"x"}')
  const unreachable = `http://127.0.0.1:${await freePort()}`
  expect(await post([unreachable, `${featureServer.url}/`])).toEqual({ status: 201, body: { sid: 'x' } })
  for (const bases of [[unreachable], ['file:///etc/passwd'], ['data:,{}'], ['']])
    await expect(post(bases)).rejects.toMatchObject({ code: 'feature_server_unavailable', status: 503 })
  await expect(post([])).rejects.toMatchObject({ code: 'no_feature_server_available', status: 480 })
})

test('reports a response that is not HTTP', async () => {
  const server = createServer((socket) => socket.end('nonsense\r\n\r\n'))
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await expect(post([`http://127.0.0.1:${port}`])).rejects.toMatchObject({ code: 'feature_server_timeout' })
  server.close()
})

test.each([
  [409, '{"msg":"busy\\nand more"}', 409, 'busy'],
  [404, 'no such call', 404, 'no such call'],
  [400, '<html>long</html>', 400, 'The feature server rejected the command'],
  [400, `{"msg":"${'x'.repeat(1000)}"}`, 400, 'x'.repeat(300)],
  [401, '{"msg":"who are you"}', 422, 'who are you'],
  [400, '{"errors":[{"msg":"Invalid to"},{"msg":"Invalid tag"}]}', 400, 'Invalid to, Invalid tag'],
  [400, '{"errors":[]}', 400, 'The feature server rejected the command'],
  [500, '{"msg":"rest:dial: unknown property x"}', 400, 'rest:dial: unknown property x'],
  [500, '{"msg":"invalid value fax must be one of phone,sip"}', 400, 'invalid value fax must be one of phone,sip'],
  [500, '{"msg":"no available SBCs for outbound call creation"}', 500, 'The feature server failed'],
  [302, '', 500, 'The feature server failed'],
  [503, '{"msg":"inside"}', 500, 'The feature server failed'],
])('responds to %i %s with %i %s', async (status, body, expectedStatus, message) => {
  featureServer.answer = (response) => response.writeHead(status, { location: featureServer.url }).end(body)
  await expect(post([featureServer.url])).rejects.toMatchObject({ status: expectedStatus, message })
})

test('accepts commands only as JSON with the method POST', async () => {
  featureServer.answer = undefined
  const send = async (method: string, contentType: string, path = 'createCall') => {
    const body = method === 'GET' ? undefined : JSON.stringify({ from: '1' })
    const headers = { 'content-type': contentType }
    const response = await fetch(`${featureServer.url}/v1/${path}`, { method, headers, body })
    return [response.status, await response.text()]
  }
  expect(await send('POST', 'application/json')).toEqual([400, expect.stringContaining('Invalid to')])
  expect(await send('POST', 'text/plain')).toEqual([400, expect.stringContaining('Invalid from')])
  expect(await send('GET', 'application/json')).toEqual([404, '<pre>Cannot GET /v1/createCall</pre>'])
  expect((await send('POST', 'application/json', 'createMessage'))[0]).toBe(404)
})

test.each([
  [{ to: { type: 'fax', number: '2' } }, 'invalid value fax must be one of'],
  [{ to: { number: '2' } }, 'target: missing value for type'],
  [{ nonsense: 1 }, 'rest:dial: unknown property nonsense'],
])('reports that a feature server rejects a call with %j', async (members, message) => {
  featureServer.answer = undefined
  const call = { from: '1', to: { type: 'phone', number: '2' }, call_hook: { url: 'https://example.org' }, ...members }
  const created = createFeatureServer(1000).post([featureServer.url], 'v1/createCall', call)
  await expect(created).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) as string })
})

test('reports that a feature server does not respond to a message with an unknown member', async () => {
  featureServer.answer = undefined
  const send = (message: object) =>
    createFeatureServer(200).post([featureServer.url], 'v1/createMessage/sid', { from: '1', to: '2', ...message })
  expect(await send({ text: 'hello', message_sid: 'x' })).toEqual({ status: 201, body: { sid: 'x' } })
  await expect(send({ nonsense: 1 })).rejects.toMatchObject({ code: 'feature_server_timeout' })
})

test.each([
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a*', 'a', true],
  ['*a', 'ba', true],
  ['*a*b', 'xaybzb', true],
  ['*a*b', 'xaybz', false],
  ['s?p', 'sip', true],
  ['s?p', 'sp', false],
  [String.raw`\*`, '*', true],
  [String.raw`\*`, 'a', false],
  ['?', '😀', true],
])('matches the pattern %s with the name %s', (pattern, name, matches) => {
  expect(matchesGlob(pattern, name)).toBe(matches)
})

test('matches every pattern in reasonable time', () => {
  expect(matchesGlob('*a'.repeat(64), 'a'.repeat(60) + 'b'.repeat(5000))).toBe(false)
})

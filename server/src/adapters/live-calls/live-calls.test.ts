import { type FeatureServer as FakeFeatureServer, startFeatureServer } from '@patchbay/testkit/feature-server'
import { freePort } from '@patchbay/testkit/ports'
import { createServer } from 'node:net'
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
    code: 'feature_server_silent',
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
    await expect(post(bases)).rejects.toMatchObject({ code: 'feature_server_away', status: 503 })
  await expect(post([])).rejects.toMatchObject({ code: 'no_feature_server', status: 480 })
})

test('reports a response that is not HTTP', async () => {
  const server = createServer((socket) => socket.end('nonsense\r\n\r\n'))
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await expect(post([`http://127.0.0.1:${port}`])).rejects.toMatchObject({ code: 'feature_server_silent' })
  server.close()
})

test.each([
  [409, '{"msg":"busy\\nand more"}', 409, 'busy'],
  [404, 'no such call', 404, 'no such call'],
  [400, '<html>long</html>', 400, 'The feature server rejected the command'],
  [400, `{"msg":"${'x'.repeat(1000)}"}`, 400, 'x'.repeat(300)],
  [401, '{"msg":"who are you"}', 422, 'who are you'],
  [302, '', 500, 'The feature server failed'],
  [503, '{"msg":"inside"}', 500, 'The feature server failed'],
])('responds to %i %s with %i %s', async (status, body, expectedStatus, message) => {
  featureServer.answer = (response) => response.writeHead(status, { location: featureServer.url }).end(body)
  await expect(post([featureServer.url])).rejects.toMatchObject({ status: expectedStatus, message })
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

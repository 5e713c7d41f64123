import { type FeatureServer as Far, startFeatureServer } from '@patchbay/testkit/feature-server'
import { freePort } from '@patchbay/testkit/ports'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFeatureServer } from './feature-server.ts'
import { isNamed } from './glob-match.ts'

let far: Far
beforeAll(async () => {
  far = await startFeatureServer(0)
})
afterAll(() => far.close())

const post = (bases: readonly string[], milliseconds = 10_000) =>
  createFeatureServer(milliseconds).post(bases, 'v1/createCall', { from: '1' })

test('a feature server that is slow is given up, and no other is asked', async () => {
  far.answer = () => {}
  const other = await startFeatureServer(0)
  await expect(post([far.url, other.url], 50)).rejects.toMatchObject({ code: 'feature_server_silent', status: 503 })
  expect(other.heard).toEqual([])
  await other.close()
})

test('one that cannot be connected to is passed over; of none that can it is said that nothing was done', async () => {
  far.answer = (response) => response.writeHead(201).end('{"sid":"x"}')
  const away = `http://127.0.0.1:${await freePort()}`
  expect(await post([away, `${far.url}/`])).toEqual({ status: 201, body: { sid: 'x' } })
  for (const bases of [[away], ['file:///etc/passwd'], ['data:,{}'], ['']])
    await expect(post(bases)).rejects.toMatchObject({ code: 'feature_server_away', status: 503 })
  await expect(post([])).rejects.toMatchObject({ code: 'no_feature_server', status: 480 })
})

test('what is no HTTP is no answer', async () => {
  const nonsense = createServer((socket) => socket.end('nonsense\r\n\r\n'))
  const port = await freePort()
  nonsense.listen(port, '127.0.0.1')
  await expect(post([`http://127.0.0.1:${port}`])).rejects.toMatchObject({ code: 'feature_server_silent' })
  nonsense.close()
})

test.each([
  [409, '{"msg":"busy\\nand more"}', 409, 'busy'],
  [404, 'no such call', 404, 'no such call'],
  [400, '<html>long</html>', 400, 'The feature server refused it'],
  [400, `{"msg":"${'x'.repeat(1000)}"}`, 400, 'x'.repeat(300)],
  [401, '{"msg":"who are you"}', 422, 'who are you'],
  [302, '', 500, 'The feature server failed'],
  [503, '{"msg":"inside"}', 500, 'The feature server failed'],
])('%i %s is refused with %i %s', async (status, body, refused, message) => {
  far.answer = (response) => response.writeHead(status, { location: far.url }).end(body)
  await expect(post([far.url])).rejects.toMatchObject({ status: refused, message })
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
])('the pattern %s and the name %s', (pattern, name, fits) => {
  expect(isNamed(pattern, name)).toBe(fits)
})

test('no pattern takes long', () => {
  expect(isNamed('*a'.repeat(64), 'a'.repeat(60) + 'b'.repeat(5000))).toBe(false)
})

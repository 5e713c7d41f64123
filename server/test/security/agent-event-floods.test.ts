import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { getPort } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The intake of agent events over sockets: clients that stop in the middle of a body, and random bodies. */

let api: TestApi
let port: number
let path: string
let secret: string

beforeAll(async () => {
  api = await createTestApi()
  const account_sid = await api.account(await api.provider())
  secret = member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  path = `/v1/patchbay/Accounts/${account_sid}/ConversationEvents`
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  port = getPort(api.app.server)
})
afterAll(() => api.close())

const post = async (body: string): Promise<{ status: number; text: string }> => {
  const headers = { 'content-type': 'application/json', 'jambonz-signature': signPayload(body, secret) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const makeEvent = (seq: number, text = 'x') => ({
  call_sid: randomUUID(),
  at: 1_790_000_000_000,
  seq,
  event: { type: 'user_transcript', text },
})

/** Starts a request, sends a part of its body, and waits until the server has received it or has responded. */
const sendPart = async (head: readonly string[], part: string): Promise<{ socket: Socket; response: () => string }> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  await once(socket, 'connect')
  const lines = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...head]
  await new Promise<void>((resolve) => {
    socket.write(`${lines.join('\r\n')}\r\n\r\n${part}`, () => resolve())
  })
  return { socket, response: () => received }
}

describe('bodies without a valid signature', () => {
  const size = 500_000
  const part = ' '.repeat(480_000)

  test('that stop in the middle keep a bounded memory, and release it when their clients disconnect', async () => {
    const head = [`Content-Length: ${size}`]
    const stalled: Awaited<ReturnType<typeof sendPart>>[] = []
    // Together they would keep 48 MB.
    for (let count = 0; count < 100; count += 1) stalled.push(await sendPart(head, part))
    await expect
      .poll(() => stalled.filter(({ response }) => response().startsWith('HTTP/1.1 503')).length, { timeout: 30_000 })
      .toBeGreaterThan(40)
    const rejected = stalled.find(({ response }) => response() !== '')
    expect(rejected?.response()).toMatch(/retry-after: 1\r\n/i)
    // Small bodies are still accepted.
    expect(await post(JSON.stringify(makeEvent(1)))).toMatchObject({ status: 200 })
    for (const { socket } of stalled) socket.destroy()
    const large = JSON.stringify(Array.from({ length: 7 }, (_, seq) => makeEvent(seq, 'x'.repeat(65_000))))
    await expect.poll(async () => (await post(large)).status, { timeout: 30_000 }).toBe(200)
    // Ten large bodies at a time fit only if nothing is still reserved.
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(large)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('in chunks that exceed the limit get 413', async () => {
    const chunk = `20000\r\n${' '.repeat(0x2_00_00)}\r\n`
    const { socket, response } = await sendPart(['Transfer-Encoding: chunked'], chunk.repeat(5))
    await expect.poll(response, { timeout: 30_000 }).toMatch(/^HTTP\/1.1 413/)
    socket.destroy()
  })
})

describe('random bodies with a valid signature', () => {
  const random = createRandom(11)
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\u0000',
    '\\ud800',
    'null',
    '1e999',
    '-',
    '"__proto__":',
    '😀',
    '\t',
  ]

  /** Replaces parts of a text at random places. */
  const mutate = (text: string): string => {
    let mutated = text
    for (let count = 0; count < 2; count += 1) {
      const at = random.below(mutated.length)
      const piece = random.pick(pieces)
      mutated = mutated.slice(0, at) + piece + mutated.slice(at + random.below(4))
    }
    return mutated
  }

  test('get 200 or 400, and are stored completely or not at all', async () => {
    const statuses = new Set<number>()
    for (let round = 0; round < 400; round += 1) {
      const body = mutate(JSON.stringify([makeEvent(1, 'Hello '.repeat(60)), makeEvent(2), makeEvent(3)]))
      const { status, text } = await post(body)
      statuses.add(status)
      expect([200, 400]).toContain(status)
      expect(status === 400 || JSON.parse(text).stored === 3).toBe(true)
      expect(text).not.toMatch(/at .*\.ts:|node_modules|SQL/)
    }
    expect(statuses).toEqual(new Set([200, 400]))
  })
})

import { type Behavior, type BehaviorName, behaviors, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { afterAll, describe, expect, test } from 'vitest'
import { createFetch } from './fetch.ts'
import { anyAddressPolicy } from './ssrf-guard.ts'
import { createTransport, mebibyte, readBody, type TransportRequest } from './transport.ts'

let behavior: Behavior = behaviors['nothing at all']
const peer = await startHostilePeer(() => behavior)
afterAll(() => peer.stop())

const transport = createTransport({ policy: anyAddressPolicy, maxConcurrentPerHost: 2 })

const limits = { maxResponseBytes: mebibyte, timeoutMs: 20_000, idleTimeoutMs: 300 }
/** Bytes that the operating system buffers on both sides of a connection. */
const socketBuffers = 12 * mebibyte

const exchangeWith = async (name: BehaviorName, request: TransportRequest = {}): Promise<[number, number]> => {
  behavior = behaviors[name]
  const response = await transport.send(peer.origin, { limits, ...request })
  return [response.status, (await readBody(response)).length]
}

describe('a peer that sends', () => {
  test.each([
    ['a 200 response without an end', 'The response is larger than 1048576 bytes'],
    ['a 200 response without an end, in chunks', 'The response is larger than 1048576 bytes'],
    ['a gzip bomb without an end', 'The response is larger than 1048576 bytes'],
    ['headers without an end', 'Header overflow'],
    ['interim responses without an end', 'The peer sends only interim responses'],
    ['an upgrade that nobody asked for', 'The peer closed the connection without a response'],
    ['noise in place of HTTP', 'Parse Error'],
    ['nothing at all', 'The peer did not send or read anything within 300 ms'],
    ['the end of the connection before the body', 'aborted'],
  ] as const)('%s fails, and the connection is closed', async (name, message) => {
    const before = peer.bytesTaken()
    await expect(exchangeWith(name)).rejects.toThrow(message)
    await peer.untilAbandoned()
    expect(peer.bytesTaken() - before).toBeLessThan(mebibyte + socketBuffers)
  })

  test.each([
    ['a 404 response without an end', 404],
    ['a 500 response without an end', 500],
    ['a 500 response of 561 MB', 500],
  ] as const)('%s is cut off after 64 KiB', async (name, status) => {
    const before = peer.bytesTaken()
    expect(await exchangeWith(name)).toEqual([status, 65_536])
    await peer.untilAbandoned()
    expect(peer.bytesTaken() - before).toBeLessThan(mebibyte + socketBuffers)
  })

  test('does not follow a redirect', async () => {
    const before = peer.connections()
    expect(await exchangeWith('a redirect to itself')).toEqual([307, 0])
    expect(peer.connections() - before).toBe(1)
  })

  test('a byte at a time fails at the time limit', async () => {
    const request = { limits: { ...limits, timeoutMs: 300 } }
    await expect(exchangeWith('one byte at a time', request)).rejects.toThrow('The peer did not finish within 300 ms')
    await peer.untilAbandoned()
  })
})

test('does not decompress a response body', async () => {
  behavior = (socket) =>
    new Promise((resolve) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc', resolve)
    })
  const response = await transport.send(peer.origin, { limits })
  expect([response.headers['content-encoding'], String(await readBody(response))]).toEqual(['gzip', 'abc'])
})

test.each(['nothing at all', 'a 200 response without an end'] as const)(
  'closes the connection when its signal aborts, while the peer sends %s',
  async (name) => {
    const controller = new AbortController()
    const outcome = exchangeWith(name, { signal: controller.signal, limits: { ...limits, maxResponseBytes: 2 ** 40 } })
    await expect.poll(() => peer.connections()).toBeGreaterThan(0)
    controller.abort(new Error('not needed any more'))
    await expect(outcome).rejects.toThrow('not needed any more')
    await peer.untilAbandoned()
  },
)

test('reads no faster than its caller', async () => {
  behavior = behaviors['a 200 response without an end']
  const before = peer.bytesTaken()
  const controller = new AbortController()
  const unlimited = { ...limits, maxResponseBytes: 2 ** 40 }
  const { body } = await transport.send(peer.origin, { limits: unlimited, signal: controller.signal })
  const iterator = body[Symbol.asyncIterator]()
  await iterator.next()
  // Waits until the peer cannot write any more. A caller that waits longer than the idle timeout is not cut off.
  let last = -1
  await expect
    .poll(
      () => {
        const [previous, now] = [last, peer.bytesTaken()]
        last = now
        return now - previous
      },
      { interval: limits.idleTimeoutMs * 2 },
    )
    .toBe(0)
  expect(peer.bytesTaken() - before).toBeLessThan(socketBuffers)
  expect((await iterator.next()).done).toBe(false)
  controller.abort()
  await peer.untilAbandoned()
})

test('stops an upload that the peer does not read', async () => {
  const deaf = await startHostilePeer(() => (socket) => {
    socket.pause()
    return behaviors['nothing at all'](socket)
  })
  let produced = 0
  const body = async function* () {
    for (;;) {
      produced += 65_536
      yield Buffer.alloc(65_536)
    }
  }
  const upload = transport.send(deaf.origin, { method: 'PUT', body: body(), limits })
  await expect(upload).rejects.toThrow('The peer did not send or read anything within 300 ms')
  expect(produced).toBeLessThan(socketBuffers)
  await deaf.stop()
})

test('starts a third request to a host only after one of the first two has ended', async () => {
  behavior = behaviors['nothing at all']
  const before = peer.connections()
  const first = new AbortController()
  const others = new AbortController()
  const send = (signal: AbortSignal) => transport.send(peer.origin, { signal, limits: { timeoutMs: 20_000 } })
  const requests = [first, others, others].map(({ signal }) => send(signal).catch((error: unknown) => error))
  await expect.poll(() => peer.connections() - before).toBe(2)
  first.abort()
  await expect.poll(() => peer.connections() - before).toBe(3)
  others.abort()
  await Promise.all(requests)
})

test('cancels a waiting request when its signal aborts', async () => {
  behavior = behaviors['nothing at all']
  const holding = new AbortController()
  const before = peer.connections()
  const holders = [1, 2].map(() => transport.send(peer.origin, { signal: holding.signal }).catch(() => {}))
  await expect.poll(() => peer.connections() - before).toBe(2)
  await expect(transport.send(peer.origin, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
  await expect(transport.send(peer.origin, { limits: { timeoutMs: 50 } })).rejects.toThrow(
    'did not finish within 50 ms',
  )
  holding.abort()
  await Promise.all(holders)
  expect(peer.connections() - before).toBe(2)
})

test('rejects addresses that are not http or https', async () => {
  await expect(transport.send('ftp://127.0.0.1/', {})).rejects.toMatchObject({ code: 'ERR_INVALID_URL' })
})

describe('fetch for libraries', () => {
  const fetch = createFetch(transport, limits)

  test.each(['a 200 response without an end', 'a status that does not exist', 'noise in place of HTTP'] as const)(
    'rejects in the same way as the built-in fetch for %s',
    async (name) => {
      behavior = behaviors[name]
      await expect(fetch(peer.origin)).rejects.toBeInstanceOf(TypeError)
      await peer.untilAbandoned()
    },
  )

  test('resolves with the status and the first part of an error response', async () => {
    behavior = behaviors['a 500 response of 561 MB']
    const response = await fetch(peer.origin)
    expect([response.status, (await response.text()).length]).toEqual([500, 65_536])
  })
})

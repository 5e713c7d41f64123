import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { hepAgent, hepPacket, toHepPacket } from '@patchbay/testkit/peers/hep'
import Fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { parseAddressOrNetwork } from '../../lib/ip-networks.ts'
import type { ReceivedMessage } from '../captures/captures.ts'
import { createHepIntake, type HepIntakeOptions } from './hep-ingest.ts'

/** Authentication of the senders of captured SIP, and HEP over TCP. */

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of cleanUp.splice(0).reverse()) await stop()
})

const start = async (options: Partial<HepIntakeOptions> = {}, host = '127.0.0.1') => {
  const stored: ReceivedMessage[] = []
  const rejected: string[] = []
  const intake = createHepIntake({
    sink: {
      async store(messages) {
        stored.push(...messages)
        return messages.length
      },
    },
    logger: Fastify().log,
    gatherMs: 1,
    onRejectedSender: (address, reason) => rejected.push(`${address} ${reason}`),
    ...options,
  })
  const port = await intake.listen({ host, port: 0 })
  cleanUp.push(() => intake.close(1000))
  const agent = hepAgent(port)
  cleanUp.push(() => agent.stop())
  return { intake, port, agent, stored, rejected }
}

const networks = (...list: string[]) => list.map((text) => parseAddressOrNetwork(text) ?? expect.fail(text))

const createPacket = (callId: string, key?: string) =>
  hepPacket({
    source: '10.0.0.1',
    sourcePort: 5060,
    destination: '10.0.0.2',
    destinationPort: 5060,
    payload: Buffer.from(`INVITE sip:1@host SIP/2.0\r\nCall-ID: ${callId}\r\nCSeq: 1 INVITE\r\n\r\n`),
    ...(key === undefined ? {} : { key }),
  })

const openStream = async (port: number, host = '127.0.0.1'): Promise<Socket> => {
  const socket = connect(port, host)
  socket.on('error', () => {})
  cleanUp.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Resolves when the server has closed the connection. */
const closed = async (socket: Socket): Promise<'closed'> => {
  if (!socket.closed) await once(socket.resume(), 'close')
  return 'closed'
}

const callIds = (stored: readonly ReceivedMessage[]) => stored.map(({ sip_callid }) => sip_callid)

/** By protocol: sends a packet on a new connection or from a new socket. */
const transports = [
  ['UDP', async ({ agent }: Awaited<ReturnType<typeof start>>, packet: Buffer) => agent.send(packet)],
  [
    'TCP',
    async ({ port }: Awaited<ReturnType<typeof start>>, packet: Buffer) => {
      const socket = await openStream(port)
      socket.write(packet)
    },
  ],
] as const

describe.each(transports)('over %s', (_name, send) => {
  test('accepts listed senders without a key, also if a key is configured', async () => {
    for (const key of [undefined, 'secret']) {
      const server = await start({ senders: networks('127.0.0.0/8'), ...(key === undefined ? {} : { key }) })
      await send(server, createPacket('listed'))
      await expect.poll(() => callIds(server.stored)).toEqual(['listed'])
      expect(server.rejected).toEqual([])
    }
  })

  test('rejects and names other senders if there is only a list', async () => {
    const server = await start({ senders: networks('10.0.0.0/8', '::/1') })
    await send(server, createPacket('not-listed', 'any key'))
    await expect.poll(() => server.rejected).toEqual(['127.0.0.1 not_listed'])
    expect(server.intake.counts()).toMatchObject({ unlisted: 1, received: 0, stored: 0 })
  })

  test('requires the key of other senders if there is one, and says what was wrong', async () => {
    const server = await start({ senders: networks('10.0.0.0/8'), key: 'secret' })
    await send(server, createPacket('no-key'))
    await expect.poll(() => server.rejected).toEqual(['127.0.0.1 no_credentials'])
    await send(server, createPacket('wrong', 'guess'))
    await expect.poll(() => server.rejected[1]).toBe('127.0.0.1 wrong_credentials')
    await send(server, createPacket('correct', 'secret'))
    await expect.poll(() => callIds(server.stored)).toEqual(['correct'])
    expect(server.intake.counts()).toMatchObject({ rejected: 2 })
  })

  test('accepts everybody who reaches the port if there is neither', async () => {
    const server = await start()
    await send(server, createPacket('anybody'))
    await expect.poll(() => callIds(server.stored)).toEqual(['anybody'])
  })

  test('compares IPv4 senders of an IPv6 socket with IPv4 networks', async () => {
    const listed = await start({ senders: networks('::ffff:127.0.0.1') }, '::')
    await send(listed, createPacket('mapped'))
    await expect.poll(() => callIds(listed.stored)).toEqual(['mapped'])
    const other = await start({ senders: networks('fd00::/8') }, '::')
    await send(other, createPacket('mapped'))
    await expect.poll(() => other.rejected).toHaveLength(1)
    expect(other.intake.counts()).toMatchObject({ unlisted: 1 })
  })
})

describe('a TCP connection', () => {
  test('stores packets in their order, even if one arrives in parts or several arrive together', async () => {
    const { port, stored } = await start()
    const socket = await openStream(port)
    const stream = Buffer.concat(Array.from({ length: 50 }, (_, index) => createPacket(`call-${index}`)))
    for (let at = 0; at < stream.length; at += 997) socket.write(stream.subarray(at, at + 997))
    await expect.poll(() => callIds(stored)).toEqual(Array.from({ length: 50 }, (_, index) => `call-${index}`))
  })

  test.each([
    ['bytes that are not HEP', Buffer.from('OPTIONS sip:host SIP/2.0\r\n')],
    ['a length below that of the head', Buffer.from('HEP3\0\x01', 'latin1')],
    ['a chunk that exceeds its packet', toHepPacket([Buffer.from('0000000bffff', 'hex')])],
  ])('ends after %s, and what came before is stored', async (_what, broken) => {
    const { port, stored, intake } = await start()
    const socket = await openStream(port)
    socket.write(Buffer.concat([createPacket('before'), broken, createPacket('after')]))
    await closed(socket)
    await expect.poll(() => callIds(stored)).toEqual(['before'])
    expect(intake.counts()).toMatchObject({ unreadable: 1 })
  })

  test('that ends within a packet is counted', async () => {
    const { port, intake } = await start()
    const socket = await openStream(port)
    socket.end(createPacket('incomplete').subarray(0, 50))
    await closed(socket)
    await expect.poll(() => intake.counts().unreadable).toBe(1)
  })

  test('ends if a packet is not complete in time, and may otherwise be silent', async () => {
    const { port, stored } = await start({ connectionLimits: { packetMs: 50 } })
    const [silent, slow] = [await openStream(port), await openStream(port)]
    slow.write(createPacket('incomplete').subarray(0, 50))
    await closed(slow)
    silent.write(createPacket('later'))
    await expect.poll(() => callIds(stored)).toEqual(['later'])
  })

  test('ends when it is idle', async () => {
    const { port } = await start({ connectionLimits: { idleMs: 50 } })
    expect(await closed(await openStream(port))).toBe('closed')
  })

  test('has to send the key in time', async () => {
    const { port } = await start({ key: 'secret', connectionLimits: { packetMs: 50 } })
    expect(await closed(await openStream(port))).toBe('closed')
  })

  test('of a listed sender stays open if senders without the key connect', async () => {
    const { port, stored } = await start(
      {
        senders: networks('127.0.0.1'),
        key: 'secret',
        connectionLimits: { maxPending: 2, maxPendingPerAddress: 2 },
      },
      '::',
    )
    const listed = await openStream(port)
    const strangers = [await openStream(port, '::1'), await openStream(port, '::1'), await openStream(port, '::1')]
    await Promise.race(strangers.map(closed))
    listed.write(createPacket('listed'))
    await expect.poll(() => callIds(stored)).toEqual(['listed'])
  })

  test('is refused beyond the number of connections of its address', async () => {
    const { port, stored } = await start({ connectionLimits: { connectionsPerAddress: 2 } })
    const sockets = [await openStream(port), await openStream(port)]
    await closed(await openStream(port))
    sockets.forEach((socket, index) => socket.write(createPacket(`call-${index}`)))
    await expect.poll(() => callIds(stored).toSorted()).toEqual(['call-0', 'call-1'])
    sockets[0]?.destroy()
    const later = async () => {
      const socket = await openStream(port)
      socket.write(createPacket('later'))
    }
    await expect
      .poll(async () => {
        await later()
        return callIds(stored)
      })
      .toContain('later')
  })

  test('without the key does not become one of an accepted sender while the queue is full', async () => {
    const { port, agent, intake } = await start({ key: 'secret', maxPending: 0, sink: { store: async () => 0 } })
    await agent.send(createPacket('dropped', 'secret'))
    await expect.poll(() => intake.counts().dropped).toBe(1)
    const socket = await openStream(port)
    socket.write(createPacket('no-key'))
    await closed(socket)
    expect(intake.counts()).toMatchObject({ rejected: 1 })
  })

  test('is closed when the intake closes', async () => {
    const { port, intake } = await start()
    const socket = await openStream(port)
    await intake.close(1000)
    expect(await closed(socket)).toBe('closed')
  })
})

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Value of PRIVATE_NETWORKS that permits requests to servers on this machine. */
export const loopbackNetwork = '127.0.0.0/8'

/** Returns the port on which a server listens. */
export const getPort = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

/**
 * Range below the ephemeral ports of operating systems, and the media of rtpengine. No outgoing connection takes one of
 * these ports before a server listens or during its restart, and no client of a stopped server ends up connected to
 * itself.
 */
const minPort = 10_000
const maxPort = 30_000
const blockSize = 100
const blockCount = (maxPort - minPort) / blockSize
const maxAttempts = 1000

/**
 * Claims a block of ports by listening on its first one until the process ends, so that processes that run concurrently
 * assign different ports. A port is free until its server listens, which can take seconds, and no port is assigned twice.
 */
const claimBlock = async (): Promise<number[]> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const first = minPort + randomInt(blockCount) * blockSize
    const claim = createServer().unref().listen(first, '127.0.0.1')
    try {
      await once(claim, 'listening')
      return Array.from({ length: blockSize - 1 }, (_, nth) => first + nth + 1)
    } catch {
      claim.close()
    }
  }
  throw new Error('Other processes have claimed all ports.')
}

/** The ports that this process assigns next. Only one block is claimed at a time. */
let block: Promise<number[]> = Promise.resolve([])

const assignPort = async (): Promise<number> => {
  for (;;) {
    const current = block
    const port = (await current).shift()
    if (port !== undefined) return port
    if (block === current) block = claimBlock()
  }
}

const firstFree = async (isFree: (port: number) => Promise<boolean>): Promise<number> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const port = await assignPort()
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${maxAttempts} ports could be listened on.`)
}

/** Returns whether the listener could listen. Closes it again. */
const couldListen = async (listener: EventEmitter & { close(): unknown }): Promise<boolean> => {
  try {
    await once(listener, 'listening')
  } catch {
    listener.close()
    return false
  }
  const closed = once(listener, 'close')
  listener.close()
  await closed
  return true
}

const isFreeTcpPort = (port: number): Promise<boolean> => couldListen(createServer().listen(port, '127.0.0.1'))

/**
 * Returns an unused TCP port of this machine. No other process of the tests gets it, also while its server is stopped.
 */
export const freePort = (): Promise<number> => firstFree(isFreeTcpPort)

const isFreeUdpPort = (port: number): Promise<boolean> => couldListen(createSocket('udp6').bind(port))

/** Returns a UDP port that is unused on all IPv4 and IPv6 addresses. */
export const freeUdpPort = (): Promise<number> => firstFree(isFreeUdpPort)

/** Returns a port that is unused by UDP and by TCP, such as for HEP. */
export const freeUdpAndTcpPort = (): Promise<number> =>
  firstFree(async (port) => (await isFreeUdpPort(port)) && isFreeTcpPort(port))

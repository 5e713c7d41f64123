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
 * Range below the ephemeral ports of operating systems. No outgoing connection takes one of these ports before a server
 * listens or during its restart, and no client of a stopped server ends up connected to itself.
 */
const minPort = 12_000
const maxPort = 32_000
/** Start of the range for servers that give up their ports for a while. */
const minRestartPort = 9_000
const maxAttempts = 1000

/**
 * Ports that were returned. A port is free until its server listens, so that tests which run concurrently could get the
 * same one.
 */
const assignedPorts = new Set<number>()

const firstFree = async (
  isFree: (port: number) => Promise<boolean>,
  [from, to]: readonly [number, number] = [minPort, maxPort],
): Promise<number> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const port = randomInt(from, to)
    if (assignedPorts.has(port)) continue
    assignedPorts.add(port)
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

/** Returns an unused TCP port of this machine. Like the others below, it returns no port twice. */
export const freePort = (): Promise<number> => firstFree(isFreeTcpPort)

/**
 * Returns an unused TCP port for a server that is stopped for seconds and started again on the same port. It is from a
 * range of its own, so that no other server takes it meanwhile.
 */
export const freeRestartPort = (): Promise<number> => firstFree(isFreeTcpPort, [minRestartPort, minPort])

const isFreeUdpPort = (port: number): Promise<boolean> => couldListen(createSocket('udp6').bind(port))

/** Returns a UDP port that is unused on all IPv4 and IPv6 addresses. */
export const freeUdpPort = (): Promise<number> => firstFree(isFreeUdpPort)

/** Returns a port that is unused by UDP and by TCP, such as for HEP. */
export const freeUdpAndTcpPort = (): Promise<number> =>
  firstFree(async (port) => (await isFreeUdpPort(port)) && isFreeTcpPort(port))

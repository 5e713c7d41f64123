import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** The port on which a server listens. */
export const getPort = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

/**
 * Below the ports that systems give to whoever connects: no connection takes one of these before its server listens, or
 * while that is started anew; nor does who calls a server that is away end up connected to itself.
 */
const lowest = 12_000
const highest = 32_000
const maxAttempts = 1000

const firstFree = async (isFree: (port: number) => Promise<boolean>): Promise<number> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const port = randomInt(lowest, highest)
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${maxAttempts} ports could be listened on.`)
}

/** Whether what listens there began to; it is closed again. */
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

/** A port of this machine that nobody uses just now. */
export const freePort = (): Promise<number> =>
  firstFree((port) => couldListen(createServer().listen(port, '127.0.0.1')))

/** The same for UDP, on all addresses of either kind. */
export const freeUdpPort = (): Promise<number> => firstFree((port) => couldListen(createSocket('udp6').bind(port)))

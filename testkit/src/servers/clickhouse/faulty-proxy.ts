import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type Behavior, type HostilePeer, startHostilePeer, untilHead } from '../../peers/hostile-peer.ts'

/** A proxy in front of ClickHouse that can misbehave, for failures after the start of Patchbay. */
export interface ClickHouseProxy {
  /** Settings for a Patchbay server that connects to the proxy. */
  readonly settings: { CLICKHOUSE_URL: string }
  readonly peer: HostilePeer
  /** Sets the behavior of new connections, and closes the others. Undefined forwards requests to ClickHouse. */
  behave(behavior: Behavior | undefined): void
  stop(): Promise<void>
}

/**
 * Starts a proxy that forwards requests to ClickHouse.
 * @param address URL of ClickHouse with the credentials and the database
 */
export const startClickHouseProxy = async (address: string): Promise<ClickHouseProxy> => {
  const target = new URL(address)
  const forwarded = new Set<Socket>()
  let current: Behavior | undefined

  const forward: Behavior = async (socket) => {
    const server = connect(Number(target.port), target.hostname)
    forwarded.add(socket)
    await Promise.allSettled([pipeline(socket, server), pipeline(server, socket)])
    forwarded.delete(socket)
  }
  const misbehave =
    (behavior: Behavior): Behavior =>
    async (socket) => {
      await untilHead(socket)
      await behavior(socket)
    }

  const peer = await startHostilePeer(() => (current === undefined ? forward : misbehave(current)), {
    speaksFirst: true,
  })
  const url = new URL(address)
  url.host = new URL(peer.origin).host
  return {
    settings: { CLICKHOUSE_URL: url.href },
    peer,
    behave(behavior) {
      current = behavior
      for (const socket of forwarded) socket.destroy()
    },
    stop: () => peer.stop(),
  }
}

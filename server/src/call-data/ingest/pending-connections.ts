/**
 * Limits connections that have not identified the call they record. They do not use recording slots. If too many wait,
 * the oldest connection of the address with the most connections is closed. Well-behaved clients send their metadata
 * immediately.
 */
export interface PendingConnections {
  /** Adds a connection. Calls its `close` if the limit is exceeded. Returns a function that removes the connection. */
  add(address: string, close: () => void): () => void
  count(): number
}

export interface PendingConnectionLimits {
  /** Maximum connections of all addresses, and of one address. */
  maxPending: number
  maxPendingPerAddress: number
  /** Maximum waiting time of a connection while more than half of the slots are taken. */
  busyTimeoutMs: number
}

interface PendingConnection {
  address: string
  since: number
  close: () => void
}

/** @param now a monotonic clock, in milliseconds */
export const createPendingConnections = (
  { maxPending, maxPendingPerAddress, busyTimeoutMs }: PendingConnectionLimits,
  now: () => number = () => performance.now(),
): PendingConnections => {
  /** Ordered from oldest to newest. */
  const pending = new Set<PendingConnection>()
  const countByAddress = new Map<string, number>()

  const remove = (connection: PendingConnection): boolean => {
    if (!pending.delete(connection)) return false
    const count = (countByAddress.get(connection.address) ?? 1) - 1
    if (count > 0) countByAddress.set(connection.address, count)
    else countByAddress.delete(connection.address)
    return true
  }
  const evict = (connection: PendingConnection | undefined): void => {
    if (connection !== undefined && remove(connection)) connection.close()
  }
  const findOldest = (address: string): PendingConnection | undefined =>
    [...pending].find((connection) => connection.address === address)

  const busiestAddress = (): string => {
    const [busiest] = [...countByAddress].toSorted(([, a], [, b]) => b - a)
    return busiest?.[0] ?? ''
  }

  const makeRoom = (address: string): void => {
    if ((countByAddress.get(address) ?? 0) >= maxPendingPerAddress) evict(findOldest(address))
    if (pending.size >= maxPending) evict(findOldest(busiestAddress()))
    if (pending.size <= maxPending / 2) return
    for (const connection of pending) {
      if (now() - connection.since < busyTimeoutMs) break
      evict(connection)
    }
  }

  return {
    add(address, close) {
      makeRoom(address)
      const connection = { address, since: now(), close }
      pending.add(connection)
      countByAddress.set(address, (countByAddress.get(address) ?? 0) + 1)
      return () => void remove(connection)
    },
    count: () => pending.size,
  }
}

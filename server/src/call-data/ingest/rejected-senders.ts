import { parseIpAddress } from '@patchbay/rules/networks/ip-address'

/** The addresses whose data an intake has rejected, so that an administrator sees why nothing arrives. */

export type SenderRejection = 'not_listed' | 'no_credentials' | 'wrong_credentials'

export interface RejectedSender {
  /** IPv4-mapped addresses have their IPv4 notation. */
  address: string
  /** The reason for the latest rejection. */
  reason: SenderRejection
  /** Packets, connections, or requests. */
  count: number
  /** Epoch milliseconds. */
  lastAt: number
}

export type OnRejectedSender = (address: string, reason: SenderRejection) => void

export interface RejectedSenders {
  add: OnRejectedSender
  /** Returns the addresses with the latest one first. */
  list(): RejectedSender[]
}

/**
 * Creates an empty list of limited length. UDP sources can be forged, so a new address replaces the one with the fewest
 * rejections: a flood of addresses that occur once cannot push out a sender that repeats.
 */
export const createRejectedSenders = (maxAddresses = 20, now: () => number = Date.now): RejectedSenders => {
  const senders = new Map<string, RejectedSender>()

  const removeRarest = (): void => {
    let rarest: RejectedSender | undefined
    for (const sender of senders.values()) if (rarest === undefined || sender.count < rarest.count) rarest = sender
    if (rarest !== undefined) senders.delete(rarest.address)
  }

  return {
    add(from, reason) {
      const address = parseIpAddress(from)?.toString() ?? from
      const count = (senders.get(address)?.count ?? 0) + 1
      if (count === 1 && senders.size >= maxAddresses) removeRarest()
      senders.set(address, { address, reason, count, lastAt: now() })
    },
    list: () => [...senders.values()].toSorted((a, b) => b.lastAt - a.lastAt),
  }
}

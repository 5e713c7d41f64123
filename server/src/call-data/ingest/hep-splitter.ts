import { hepHeadLength, readHepLength } from '../captures/hep.ts'

/** Splits a TCP stream into HEP packets, which state their length. */
export interface HepSplitter {
  /** Passes complete packets on. Returns false if the stream contains something other than HEP, or `onPacket` did. */
  push(chunk: Buffer): boolean
  /** Whether the beginning of a packet waits for its end. */
  hasPartialPacket(): boolean
}

/** @param onPacket receives a packet. Returns false to end the stream */
export const createHepSplitter = (onPacket: (packet: Buffer) => boolean): HepSplitter => {
  const head = Buffer.alloc(hepHeadLength)
  /** Undefined while the head is incomplete. Has the length that the head states. */
  let packet: Buffer | undefined
  let filled = 0

  const fill = (target: Buffer, chunk: Buffer, from: number): number => {
    const copied = chunk.copy(target, filled, from)
    filled += copied
    return copied
  }

  /** Allocates the packet when its head is complete. */
  const readHead = (): boolean => {
    const length = readHepLength(head)
    if (length === undefined) return false
    // A packet has a buffer of its own. As a part of the chunk, a small message would keep all of the chunk in memory.
    packet = Buffer.allocUnsafeSlow(length)
    head.copy(packet)
    return true
  }

  const finishPacket = (complete: Buffer): boolean => {
    packet = undefined
    filled = 0
    return onPacket(complete)
  }

  return {
    push(chunk) {
      let at = 0
      while (at < chunk.length) {
        at += fill(packet ?? head, chunk, at)
        if (packet === undefined && filled === hepHeadLength && !readHead()) return false
        if (packet !== undefined && filled === packet.length && !finishPacket(packet)) return false
      }
      return true
    },
    hasPartialPacket: () => filled > 0,
  }
}

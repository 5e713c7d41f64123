import type { Capture } from '@patchbay/contract/call-captures'

/** What a pcap is of: a call's messages, or a registration's. */
export type CaptureKind = 'invite' | 'register'

/** Which messages of a Call-ID are read. */
export interface CaptureFilter {
  /** messages of REGISTER, or all others */
  kinds: readonly CaptureKind[]
  /** Whether a message belongs to those who read it, by its time in epoch microseconds. */
  includes(kind: CaptureKind, atMicroseconds: number): boolean
}

/** Captured SIP by its Call-ID. The caller decides whose it is, and passes that as a filter. */
export interface Captures {
  /** A store that applies filters. Others return all that they have, and the caller filters it. */
  readonly filters: boolean
  /** Returns the messages of a Call-ID, with total 0 if nothing was captured. */
  read(sip_callid: string, filter?: CaptureFilter): Promise<Capture>
  /** Returns a file of libpcap, or undefined if nothing was captured. */
  pcap(sip_callid: string, kind: CaptureKind, filter?: CaptureFilter): Promise<Uint8Array | undefined>
}

export interface Endpoint {
  /** IPv4 or IPv6, as text */
  address: string
  port: number
}

/** A SIP message with where and when its packet was seen. */
export interface SeenMessage {
  sip_callid: string
  /** of the request, also in its answers (CSeq) */
  method: string
  /** epoch microseconds */
  at: number
  /** number of the transport protocol: 17 UDP, 6 TCP */
  transport: number
  source: Endpoint
  destination: Endpoint
  content: Uint8Array
}

/** Where an intake puts messages. A repeated one is stored once; answers how many were new. */
export interface CaptureSink {
  store(messages: readonly SeenMessage[]): Promise<number>
}

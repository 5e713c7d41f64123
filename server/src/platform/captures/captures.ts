import type { Capture } from '@patchbay/contract/call-captures'

/** What a pcap is of: a call's messages, or a registration's. */
export type CaptureKind = 'invite' | 'register'

/** Captured SIP by its Call-ID. Whose it is, the caller has to ask. */
export interface Captures {
  /** with total 0 where nothing was captured */
  read(sip_callid: string): Promise<Capture>
  /** a file of libpcap; undefined where nothing was captured */
  pcap(sip_callid: string, kind: CaptureKind): Promise<Uint8Array | undefined>
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

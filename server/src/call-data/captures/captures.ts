import type { Capture } from '@patchbay/contract/call-captures'

/** Messages of a call, or of a registration. */
export type CaptureKind = 'invite' | 'register'

/** Selects messages of a Call-ID. */
export interface CaptureFilter {
  /** `register` selects messages of REGISTER transactions, `invite` all others. */
  kinds: readonly CaptureKind[]
  /** Returns whether the caller may read a message with this time, in microseconds since the Unix epoch. */
  includes(kind: CaptureKind, atMicroseconds: number): boolean
}

/** Captured SIP by Call-ID. The caller checks which messages belong to the tenant and passes that as a filter. */
export interface Captures {
  /** True if the store applies filters. Other stores return everything, and the caller filters the result. */
  readonly filters: boolean
  /** Signs in at the server of the captures. Absent if the database stores them. */
  check?(): Promise<void>
  /** Returns the messages of a Call-ID. The total is 0 if nothing was captured. */
  read(sip_callid: string, filter?: CaptureFilter): Promise<Capture>
  /** Returns a libpcap file, or undefined if nothing was captured. */
  pcap(sip_callid: string, kind: CaptureKind, filter?: CaptureFilter): Promise<Uint8Array | undefined>
}

/** The address of a sender or recipient. */
export interface Endpoint {
  /** IPv4 or IPv6 address as text. */
  address: string
  port: number
}

/** A captured SIP message. */
export interface ReceivedMessage {
  sip_callid: string
  /** Method of the request. For a response, the method from its CSeq header. */
  method: string
  /** Microseconds since the Unix epoch. */
  at: number
  /** IP protocol number: 17 for UDP, 6 for TCP. */
  transport: number
  source: Endpoint
  destination: Endpoint
  content: Uint8Array
  /** ID of the capture agent, whose clock stamped the message. Undefined if unknown. */
  agent?: number | undefined
}

/**
 * Destination for captured messages of an ingest server. A repeated message is stored once. `store` returns the number
 * of new messages.
 */
export interface CaptureSink {
  /** Stores messages and returns the number of new ones. */
  store(messages: readonly ReceivedMessage[]): Promise<number>
}

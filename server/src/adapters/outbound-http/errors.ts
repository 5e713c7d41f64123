/** Failures of outgoing traffic that are ours to report: a limit was reached. */

/** The peer sent more bytes than the caller accepts. The connection was closed. */
export class ResponseTooLargeError extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The response is larger than ${maxBytes} bytes`)
    this.name = 'ResponseTooLargeError'
    this.maxBytes = maxBytes
  }
}

/** The peer took too long: to connect, between two bytes, or altogether. The connection was closed. */
export class TransferTimeoutError extends Error {
  /** `ETIMEDOUT` if no connection was made, as if the operating system had given up */
  readonly code: string | undefined

  constructor(what: string, code?: 'ETIMEDOUT') {
    super(what)
    this.code = code
    // The name that `AbortSignal.timeout` uses, so that callers and reasons.ts treat both alike.
    this.name = 'TimeoutError'
  }
}

/** The peer of a WebSocket sends messages but does not read what it is sent. The connection was closed. */
export class SendBufferFullError extends Error {
  constructor(maxBytes: number) {
    super(`The peer does not read: more than ${maxBytes} bytes wait to be sent`)
    this.name = 'SendBufferFullError'
  }
}

/** The peer does not follow its protocol, for example with an endless series of interim responses. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** Errors of outgoing traffic that Patchbay itself raises when a limit is reached. */

/** The peer sent more bytes than the caller accepts. The connection was closed. */
export class ResponseTooLargeError extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The response is larger than ${maxBytes} bytes`)
    this.name = 'ResponseTooLargeError'
    this.maxBytes = maxBytes
  }
}

/** The peer exceeded the time limit for connecting, between two bytes, or in total. The connection was closed. */
export class TransferTimeoutError extends Error {
  /** `ETIMEDOUT` if no connection was established, as with a timeout of the operating system. */
  readonly code: string | undefined

  constructor(what: string, code?: 'ETIMEDOUT') {
    super(what)
    this.code = code
    // Same name as the errors of `AbortSignal.timeout`, so that callers and error-messages.ts treat both alike.
    this.name = 'TimeoutError'
  }
}

/** The peer of a WebSocket does not read the messages sent to it. The connection was closed. */
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

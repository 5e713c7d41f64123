import { createSocket } from 'node:dgram'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { LocalAddress, OptionsTransaction } from './options-request.ts'
import { createStreamReader, maxResponseBytes, readMessage, type SipResponse } from './response-reader.ts'
import { SipRequestError, sanitizePeerText, toSipRequestError } from './sip-errors.ts'

/** Sends one request to one address and waits for its final response. */

export interface Exchange {
  address: string
  port: number
  transaction: OptionsTransaction
  buildRequest: (local: LocalAddress) => string
  /** Ends the exchange with a timeout. */
  signal: AbortSignal
}

export interface TimedResponse extends SipResponse {
  /** Milliseconds since the request was first sent. */
  round_trip_ms: number
}

/** Estimate of the round-trip time and longest interval between repetitions (RFC 3261 §17.1.2.1). */
const t1Ms = 500
const t2Ms = 4000

const measure = (firstSendTime: number): number => Math.round((performance.now() - firstSendTime) * 10) / 10

/**
 * Sends the request over UDP and repeats it until the response arrives. The socket is connected, so the operating system
 * drops datagrams from other addresses and reports a closed port.
 */
export const exchangeOverUdp = ({
  address,
  port,
  transaction,
  buildRequest,
  signal,
}: Exchange): Promise<TimedResponse> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    let repetition: NodeJS.Timeout | undefined
    let received = 0
    let isMalformed = false
    let firstSendTime = performance.now()
    let isFinished = false

    const finish = (report: () => void) => {
      // A send that fails after the end still emits an error.
      if (isFinished) return
      isFinished = true
      clearTimeout(repetition)
      signal.removeEventListener('abort', stop)
      socket.close()
      report()
    }
    const fail = (error: unknown) => finish(() => reject(toSipRequestError(error)))
    const stop = () => fail(new SipRequestError(isMalformed ? 'malformed_response' : 'timeout'))
    const send = (request: string, waitMs: number) => {
      // Errors are reported by the error event.
      socket.send(request)
      repetition = setTimeout(() => send(request, Math.min(2 * waitMs, t2Ms)), waitMs)
    }

    signal.addEventListener('abort', stop, { once: true })
    socket
      .on('error', fail)
      .once('connect', () => {
        if (isFinished) return
        firstSendTime = performance.now()
        send(buildRequest(socket.address()), t1Ms)
      })
      .on('message', (datagram) => {
        received += datagram.length
        const result = readMessage(datagram.toString(), transaction)
        if (typeof result === 'object') {
          const round_trip_ms = measure(firstSendTime)
          return finish(() => resolve({ ...result, round_trip_ms }))
        }
        if (result === 'malformed') isMalformed = true
        if (received > maxResponseBytes) fail(new SipRequestError('response_too_large'))
      })
    socket.connect(port, address)
  })

const exchangeOverStream = (
  socket: Socket,
  connectedEvent: 'connect' | 'secureConnect',
  { transaction, buildRequest, signal }: Exchange,
  toError: (error: unknown) => SipRequestError,
): Promise<TimedResponse> =>
  new Promise((resolve, reject) => {
    const read = createStreamReader(transaction)
    let firstSendTime = performance.now()

    const finish = (report: () => void) => {
      signal.removeEventListener('abort', stop)
      socket.destroy()
      report()
    }
    const fail = (error: unknown) => finish(() => reject(toError(error)))
    const stop = () => fail(new SipRequestError('timeout'))

    signal.addEventListener('abort', stop, { once: true })
    socket
      .on('error', fail)
      .once(connectedEvent, () => {
        firstSendTime = performance.now()
        const { localAddress = '', localPort = 0 } = socket
        socket.write(buildRequest({ address: localAddress, port: localPort }))
      })
      .on('data', (bytes: Buffer) => {
        try {
          const response = read(bytes)
          if (response === undefined) return
          const round_trip_ms = measure(firstSendTime)
          finish(() => resolve({ ...response, round_trip_ms }))
        } catch (error) {
          fail(error)
        }
      })
      .once('close', () => fail(new SipRequestError('closed')))
  })

/** Sends the request over TCP. */
export const exchangeOverTcp = (exchange: Exchange): Promise<TimedResponse> =>
  exchangeOverStream(
    connectTcp({ host: exchange.address, port: exchange.port }),
    'connect',
    exchange,
    toSipRequestError,
  )

const toTlsError =
  (socket: TLSSocket) =>
  (error: unknown): SipRequestError => {
    // Node sets this only if the certificate was received and rejected.
    if (!socket.authorizationError || !(error instanceof Error)) return toSipRequestError(error)
    // Node.js appends advice for its own command line.
    const reason = error.message.replace(/; if the root CA .*$/s, '')
    return new SipRequestError('certificate_invalid', sanitizePeerText(reason), { cause: error })
  }

/**
 * Sends the request over TLS. The certificate must be valid for the host of the gateway, not for the name that an SRV
 * record leads to (RFC 5922 §7.2).
 *
 * @param ca trusted certificates in PEM format, in addition to none. Default: those of Node.js
 */
export const exchangeOverTls = (exchange: Exchange, host: string, ca?: string): Promise<TimedResponse> => {
  const { address, port } = exchange
  const isName = host !== address
  const socket = connectTls({ host: address, port, ...(isName && { servername: host }), ...(ca && { ca }) })
  return exchangeOverStream(socket, 'secureConnect', exchange, toTlsError(socket))
}

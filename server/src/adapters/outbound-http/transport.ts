import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, Readable } from 'node:stream'
import type { VendorAddresses } from '../../config/option-types.ts'
import { tenantErrorGuard } from '../tenant-errors.ts'
import { type Agents, createAgents } from './agents.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { ProtocolError, ResponseTooLargeError, TransferTimeoutError } from './errors.ts'
import { observeOutgoing } from './observe-outgoing.ts'
import { type AddressPolicy, anyAddressPolicy } from './ssrf-guard.ts'
import { replacementFor } from './vendor-addresses.ts'

/**
 * All outgoing HTTP requests of this process use a transport, including those of vendors' libraries (fetch.ts,
 * aws-request-handler.ts, azure-http-client.ts). It bounds what a peer can cost: bytes of the response and of its
 * headers, time, and concurrent requests. A request that fails, times out, or is aborted has its socket destroyed.
 * Redirects are not followed and responses are not decompressed.
 */
export interface Transport {
  /**
   * Sends a request and resolves when the head of the response has arrived, whatever its status. The caller reads or
   * destroys the body; an unread body is dropped when the time limit of the request is reached.
   *
   * @throws TransferTimeoutError, AddressNotAllowedError, HostUnavailableError, ProtocolError, errors of Node's sockets,
   *   and the reason of the signal
   */
  send(url: string | URL, request: TransportRequest): Promise<TransportResponse>
}

export interface TransportRequest {
  /** Label in metrics for a service whose address the operator configures. Default: by the host. */
  service?: string
  /**
   * Sends the headers that continue the current trace. Only for components of the platform, because the IDs would let
   * vendors and tenants connect requests.
   */
  continuesTrace?: boolean
  /** default: GET */
  method?: string
  headers?: Readonly<Record<string, string>>
  /** For an iterable body, the length is set in `headers`. Without it the body is sent in chunks. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  signal?: AbortSignal | undefined
  limits?: Partial<TransferLimits>
}

export interface TransferLimits {
  /** Maximum number of bytes of the body of a 2xx response. Longer ones fail with ResponseTooLargeError. */
  maxResponseBytes: number
  /**
   * Maximum number of bytes of the body of any other response. The rest is cut off, so that the status is still
   * available.
   */
  maxErrorBytes: number
  /** Milliseconds from the call until the last byte of the response, including the wait for a slot. */
  timeoutMs: number
  /**
   * Maximum time without progress by the peer, in milliseconds. The time that the caller takes to read does not count.
   */
  idleTimeoutMs: number
}

export interface ResponseHead {
  status: number
  statusText: string
  /** Names in lowercase. The values of a repeated header are joined with a comma. */
  headers: Readonly<Record<string, string>>
}

export interface TransportResponse extends ResponseHead {
  /** Fails with ResponseTooLargeError, TransferTimeoutError, or the error that broke the connection. */
  body: Readable
}

export const kibibyte = 1024
export const mebibyte = 1024 * kibibyte

export const defaultLimits: TransferLimits = {
  maxResponseBytes: 4 * mebibyte,
  maxErrorBytes: 64 * kibibyte,
  timeoutMs: 30_000,
  idleTimeoutMs: 30_000,
}

const connectTimeoutMs = 10_000
const maxHeaderBytes = 16 * kibibyte
/** Maximum number of interim responses (1xx) before the final one. */
const maxInterimResponses = 16

export interface TransportOptions {
  policy: AddressPolicy
  /** Origins that replace vendors' own hosts. The operator configures them, so the policy does not apply to them. */
  vendorAddresses?: VendorAddresses
  /** Number of concurrent requests per tenant and host. */
  maxConcurrentPerHost: number
}

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/**
 * A request and its response. The first cause that ends the exchange decides the error that every later read reports.
 */
class Exchange {
  readonly #ended = new AbortController()
  readonly #limits: TransferLimits
  readonly #timeout: NodeJS.Timeout
  readonly #signal: AbortSignal | undefined
  #idle: NodeJS.Timeout | undefined
  #request: ClientRequest | undefined
  #hasResponse = false
  #isOver = false
  #release = () => {}

  constructor(limits: TransferLimits, signal: AbortSignal | undefined) {
    this.#limits = limits
    this.#signal = signal
    this.#timeout = setTimeout(() => this.#fail(this.#tooSlow('finish', limits.timeoutMs)), limits.timeoutMs)
    signal?.addEventListener('abort', this.#abort, { once: true })
    if (signal?.aborted) this.#abort()
  }

  /** Aborts when the exchange fails, with the error as the reason. */
  get failed(): AbortSignal {
    return this.#ended.signal
  }

  /** Stores the function that frees the exchange's slot. */
  occupy(release: () => void): void {
    if (this.#isOver) release()
    else this.#release = release
  }

  async run(
    url: URL,
    agents: Agents,
    { method = 'GET', headers = {}, body }: TransportRequest,
  ): Promise<TransportResponse> {
    // The exchange may have failed at the moment when the slot became free.
    this.failed.throwIfAborted()
    const isSecure = url.protocol === 'https:'
    return new Promise((resolve, reject) => {
      this.failed.addEventListener('abort', () => reject(this.failed.reason as Error), { once: true })
      try {
        const request = (isSecure ? httpsRequest : httpRequest)(url, {
          method,
          headers: { ...headers, 'accept-encoding': 'identity' },
          agent: isSecure ? agents.https : agents.http,
          maxHeaderSize: maxHeaderBytes,
        })
        this.#request = request
        this.#expectProgress(connectTimeoutMs, 'connect')
        this.#watch(request, isSecure)
        request.once('response', (response) => resolve(this.#receive(response)))
        this.#sendBody(request, body)
      } catch (error) {
        this.#fail(error)
      }
    })
  }

  /** Ends the exchange with an error, unless it has already ended. */
  readonly #fail = (error: unknown): void => {
    if (this.#isOver) return
    this.#ended.abort(error)
    this.#finish()
  }

  readonly #abort = (): void => this.#fail(this.#signal?.reason)

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timeout)
    clearTimeout(this.#idle)
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#request?.destroy()
    this.#release()
  }

  #tooSlow(what: 'connect' | 'send or read anything' | 'finish', milliseconds: number): TransferTimeoutError {
    const code = what === 'connect' ? 'ETIMEDOUT' : undefined
    return new TransferTimeoutError(`The peer did not ${what} within ${milliseconds} ms`, code)
  }

  #expectProgress(
    milliseconds = this.#limits.idleTimeoutMs,
    what: 'connect' | 'send or read anything' = 'send or read anything',
  ): void {
    clearTimeout(this.#idle)
    if (!this.#isOver) this.#idle = setTimeout(() => this.#fail(this.#tooSlow(what, milliseconds)), milliseconds)
  }

  #watch(request: ClientRequest, isSecure: boolean): void {
    let interimResponses = 0
    // After the response has started, errors of the connection are reported through its body.
    const failWithoutResponse = (error: Error) => (this.#hasResponse ? undefined : this.#fail(error))
    request.on('error', failWithoutResponse)
    request.on('close', () =>
      failWithoutResponse(new ProtocolError('The peer closed the connection without a response')),
    )
    request.on('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', () => this.#expectProgress()))
    request.on('information', () => {
      interimResponses += 1
      if (interimResponses > maxInterimResponses) this.#fail(new ProtocolError('The peer sends only interim responses'))
    })
  }

  #sendBody(request: ClientRequest, body: TransportRequest['body']): void {
    if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
      request.end(body)
      return
    }
    const watched = async function* (progress: () => void) {
      for await (const chunk of body) {
        progress()
        yield chunk
      }
    }
    const source = Readable.from(
      watched(() => this.#expectProgress()),
      { objectMode: false },
    )
    // A peer may respond and close the connection before it has read the whole body. Then the response explains the
    // reason.
    pipeline(source, request, (error) => {
      if (error && !this.#hasResponse) this.#fail(error)
    })
  }

  #receive(response: IncomingMessage): TransportResponse {
    this.#hasResponse = true
    clearTimeout(this.#idle)
    const { statusCode = 0, statusMessage = '' } = response
    const head = { status: statusCode, statusText: statusMessage, headers: toHeaders(response) }
    // Read errors reach the caller through the iteration below. They must not be thrown for a body that is not read.
    response.on('error', () => {})
    const body = Readable.from(this.#chunksOf(response, head), { objectMode: false })
    body.once('close', () => this.#finish())
    this.failed.addEventListener('abort', () => body.destroy(this.failed.reason as Error), { once: true })
    body.on('error', () => {})
    return { ...head, body }
  }

  async *#chunksOf(response: IncomingMessage, { status }: ResponseHead): AsyncGenerator<Buffer> {
    const { maxResponseBytes, maxErrorBytes } = this.#limits
    const maxBytes = isSuccess(status) ? maxResponseBytes : maxErrorBytes
    let size = 0
    this.#expectProgress()
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        clearTimeout(this.#idle)
        size += chunk.length
        if (size > maxBytes && isSuccess(status)) throw new ResponseTooLargeError(maxBytes)
        yield size > maxBytes ? chunk.subarray(0, chunk.length - (size - maxBytes)) : chunk
        if (size > maxBytes) return
        this.#expectProgress()
      }
    } catch (error) {
      this.failed.throwIfAborted()
      throw error
    } finally {
      this.#finish()
    }
  }
}

/**
 * Creates a transport over HTTP and HTTPS. It connects only to addresses that the policy allows, and limits the
 * concurrent requests per tenant and host.
 */
export const createTransport = ({
  policy,
  vendorAddresses = {},
  maxConcurrentPerHost,
}: TransportOptions): Transport => {
  const agents = createAgents(policy)
  const unrestricted = createAgents(anyAddressPolicy)
  const concurrency = createConcurrencyLimit(maxConcurrentPerHost)

  const sendUnobserved = async (requestedUrl: URL, request: TransportRequest): Promise<TransportResponse> => {
    if (!/^https?:$/.test(requestedUrl.protocol))
      throw Object.assign(new TypeError('The address is not http or https'), { code: 'ERR_INVALID_URL' })
    const replacement = replacementFor(vendorAddresses, requestedUrl)
    const exchange = new Exchange({ ...defaultLimits, ...request.limits }, request.signal)
    const key = `${requestedUrl.host} ${tenantErrorGuard.currentTenant() ?? ''}`
    exchange.occupy(await concurrency.acquire(key, exchange.failed))
    const headers = { ...request.headers, host: requestedUrl.host }
    return exchange.run(replacement ?? requestedUrl, replacement ? unrestricted : agents, { ...request, headers })
  }

  return {
    async send(address, request) {
      const url = new URL(address)
      const { method = 'GET', service, continuesTrace } = request
      return observeOutgoing({ url, method, service }, (traceHeaders) =>
        sendUnobserved(
          url,
          continuesTrace ? { ...request, headers: { ...request.headers, ...traceHeaders } } : request,
        ),
      )
    },
  }
}

/** Reads the complete body of a response. The transport has limited its size. */
export const readBody = async ({ body }: TransportResponse): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * The transport for addresses that the operator configures: InfluxDB, Jaeger, Homer, feature servers, Stripe, and
 * similar services.
 */
export const operatorTransport: Transport = createTransport({ policy: anyAddressPolicy, maxConcurrentPerHost: 64 })

import type { Readable } from 'node:stream'
import type { TransferLimits, Transport } from './transport.ts'

/** A signed request of the AWS SDK. */
interface AwsRequest {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Readonly<Record<string, string | (string | null)[] | null>>
  headers: Readonly<Record<string, string>>
  body?: unknown
}

/** The options that `client.send(command, options)` passes to the request handler. */
export interface AwsRequestOptions {
  abortSignal?: AbortSignal | undefined
  limits?: Partial<TransferLimits>
}

interface AwsResponse {
  response: { statusCode: number; reason: string; headers: Record<string, string>; body: Readable }
}

/** Encodes text in the same way as the signature (RFC 3986). */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const encodeQuery = (query: AwsRequest['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => (value === null ? encode(name) : `${encode(name)}=${encode(value)}`)),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const ignore = (): void => {}

/**
 * The `logger` of every client of the AWS SDK. Without one, the SDK writes warnings to stderr, which are not JSON and
 * name no tenant. Failures are reported by the errors that the SDK throws.
 */
export const awsLogger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Creates the `requestHandler` for clients of the AWS SDK, which sends their requests through a transport. */
export const createAwsRequestHandler = (transport: Transport, limits: Partial<TransferLimits> = {}) => ({
  async handle(request: AwsRequest, options: AwsRequestOptions = {}): Promise<AwsResponse> {
    const { method, protocol, hostname, port, path, query, body } = request
    const authority = port === undefined ? hostname : `${hostname}:${port}`
    // The transport does not support Expect: it sends the body immediately.
    const { Expect: _upper, expect: _lower, ...headers } = request.headers
    const { status, statusText, ...response } = await transport.send(
      `${protocol}//${authority}${path}${encodeQuery(query)}`,
      {
        method,
        headers,
        // The SDK sends strings, bytes, and Node streams.
        body: body as string | Uint8Array | Readable | undefined,
        signal: options.abortSignal,
        limits: { ...limits, ...options.limits },
      },
    )
    return {
      response: { statusCode: status, reason: statusText, headers: { ...response.headers }, body: response.body },
    }
  },
})

import { isIPv6 } from 'node:net'
import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader'
import type { Endpoint } from '../outbound-http/outgoing.ts'
import { mebibyte } from '../outbound-http/transport.ts'
import { type VendorContext, VendorError } from './speech.ts'

/** Requests to vendors over gRPC. */

/** Loads a service from a protocol description: the JSON of protobuf.js, used instead of .proto files. */
export const loadService = (protocol: object, name: string): ServiceDefinition =>
  fromJSON(protocol, { defaults: true })[name] as ServiceDefinition

/**
 * Connects to the address that the SSRF guard approved. Certificate and authority are checked against the host name.
 */
const toChannelOptions = ({ authority, hostname }: Endpoint): ChannelOptions => ({
  'grpc.default_authority': authority,
  'grpc.ssl_target_name_override': hostname,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': 4 * mebibyte,
  // Megabytes per connection, headers included.
  'grpc-node.max_session_memory': 8,
})

const createClient = (endpoint: Endpoint): Client => {
  const { address, port, secure } = endpoint
  const target = isIPv6(address) ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`
  return new Client(target, secure ? credentials.createSsl() : credentials.createInsecure(), toChannelOptions(endpoint))
}

/** Extracts the last error, without its time stamp, from the message that grpc-js reports for a failed connection. */
// unchecked-regexp: runs on at most 1,000 characters
const lastError = /Last error: (?:Error: )?(.+?)(?: \([\d-]+T[^)]*\))?\. Resolution/

/**
 * Network failures become errors with a system error code such as ECONNREFUSED. Other failures keep the vendor's own
 * message.
 */
const toError = ({ code, details }: ServiceError): Error => {
  if (code !== status.UNAVAILABLE) return new VendorError(details || `The vendor answered ${status[code]}`)
  const reason = lastError.exec(details.slice(0, 1000))?.[1] ?? details
  const systemErrorCode = /\bE[A-Z]{4,}\b/.exec(reason)?.[0]
  if (systemErrorCode !== undefined) return Object.assign(new Error(reason), { code: systemErrorCode })
  return new VendorError(`The connection with the vendor failed: ${reason}`)
}

export interface GrpcCall {
  /** https://host, or http://host:port without TLS */
  url: string
  service: ServiceDefinition
  method: string
  message: object
  token?: string
}

/** Calls a unary method and returns its response. */
export const callGrpc = async ({ outgoing, stop }: VendorContext, call: GrpcCall): Promise<unknown> => {
  const { url, service, method, message, token } = call
  const definition = service[method]
  if (definition === undefined) throw new Error(`The service has no method ${method}`)
  const { path, requestSerialize, responseDeserialize } = definition
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  const client = createClient(await outgoing.resolve(url))
  try {
    return await new Promise((resolve, reject) => {
      const onResponse = (error: ServiceError | null, value?: object) =>
        error ? reject(toError(error)) : resolve(value)
      const request = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        message,
        metadata,
        onResponse,
      )
      stop.addEventListener('abort', () => request.cancel(), { once: true })
      if (stop.aborted) request.cancel()
    })
  } finally {
    client.close()
  }
}

import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader'
import { isIPv6 } from 'node:net'
import type { Endpoint } from '../outbound-http/outgoing.ts'
import { mebibyte } from '../outbound-http/transport.ts'
import { type VendorContext, VendorRefused } from './speech.ts'

/** Requests to vendors over gRPC. */

/** The methods of a service, as a description of its protocol has them: the JSON of protobuf.js, in place of files. */
export const loadService = (protocol: object, name: string): ServiceDefinition =>
  fromJSON(protocol, { defaults: true })[name] as ServiceDefinition

/** The address is the one that was judged; certificate and authority are those of the host that was meant. */
const optionsOf = ({ authority, hostname }: Endpoint): ChannelOptions => ({
  'grpc.default_authority': authority,
  'grpc.ssl_target_name_override': hostname,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': 4 * mebibyte,
  // Megabytes of a connection, headers included.
  'grpc-node.max_session_memory': 8,
})

const clientOf = (endpoint: Endpoint): Client => {
  const { address, port, secure } = endpoint
  const target = isIPv6(address) ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`
  return new Client(target, secure ? credentials.createSsl() : credentials.createInsecure(), optionsOf(endpoint))
}

/** Of what grpc-js tells of a connection that did not come about: its last error, without the time of it. */
// unchecked-regexp: runs on at most 1,000 characters
const lastError = /Last error: (?:Error: )?(.+?)(?: \([\d-]+T[^)]*\))?\. Resolution/

/** What the network did is told by its code, what the vendor says in its own words. */
const failureOf = ({ code, details }: ServiceError): Error => {
  if (code !== status.UNAVAILABLE) return new VendorRefused(details || `The vendor answered ${status[code]}`)
  const reason = lastError.exec(details.slice(0, 1000))?.[1] ?? details
  const known = /\bE[A-Z]{4,}\b/.exec(reason)?.[0]
  if (known !== undefined) return Object.assign(new Error(reason), { code: known })
  return new VendorRefused(`The connection with the vendor failed: ${reason}`)
}

export interface GrpcCall {
  /** https://host, or http://host:port without TLS */
  url: string
  service: ServiceDefinition
  method: string
  message: object
  token?: string
}

/** The answer of a method that takes one message and gives one. */
export const callGrpc = async ({ outgoing, stop }: VendorContext, call: GrpcCall): Promise<unknown> => {
  const { url, service, method, message, token } = call
  const definition = service[method]
  if (definition === undefined) throw new Error(`The service has no method ${method}`)
  const { path, requestSerialize, responseDeserialize } = definition
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  const client = clientOf(await outgoing.resolve(url))
  try {
    return await new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, value?: object) => (error ? reject(failureOf(error)) : resolve(value))
      const asked = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, answer)
      stop.addEventListener('abort', () => asked.cancel(), { once: true })
      if (stop.aborted) asked.cancel()
    })
  } finally {
    client.close()
  }
}

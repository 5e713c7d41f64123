import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { type FaultMode, sendFaultyResponse } from '../../peers/fault-modes.ts'
import { getPort } from '../../servers/ports.ts'
import type { FakeAnswer, FakeRequest, FakeVendor } from './fake-vendor.ts'
import { startGrpcServer } from './grpc-server.ts'
import { fakeVendors } from './vendors.ts'

/**
 * All fake speech vendors on one port of 127.0.0.1, selected by the requested host. gRPC vendors have their own ports.
 */

export interface FakeVendorServer {
  /** Value for VENDOR_ADDRESSES. */
  addresses: Readonly<Record<string, string>>
  /** The addresses as an environment variable of the server. */
  environment: { VENDOR_ADDRESSES: string }
  /** Sets the fault mode of all vendors from now on. */
  behave(faultMode: FaultMode): void
  /** Returns the requests since the previous call, as `POST https://host/path`. */
  taken(): string[]
  stop(): Promise<void>
}

const findVendor = (host: string): FakeVendor | undefined =>
  fakeVendors.find(({ hosts }) =>
    hosts.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name)),
  )

const write = (response: ServerResponse, { status = 200, headers = {}, body = '' }: FakeAnswer): void => {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  const type: Record<string, string> = isJson ? { 'content-type': 'application/json' } : {}
  response.writeHead(status, { ...type, ...headers })
  response.end(isJson ? JSON.stringify(body) : body)
}

export const startFakeVendorServer = async (): Promise<FakeVendorServer> => {
  let faultMode: FaultMode = 'ok'
  let taken: string[] = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })

  const readRequest = async (incoming: IncomingMessage): Promise<FakeRequest> => {
    const { method = '', url = '', headers } = incoming
    const request = { method, url: new URL(`https://${headers.host}${url}`), headers, body: await buffer(incoming) }
    taken.push(`${method} ${request.url.origin}${request.url.pathname}`)
    return request
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming)
    if (faultMode !== 'ok') return sendFaultyResponse(response, faultMode)
    write(response, (await findVendor(request.url.hostname)?.answer?.(request)) ?? { status: 404 })
  }
  server.on('request', (incoming, response) => void serve(incoming, response))

  const talk = async (
    incoming: IncomingMessage,
    upgrade: Parameters<WebSocketServer['handleUpgrade']>[1],
    head: Buffer,
  ) => {
    const request = await readRequest(incoming)
    const vendor = findVendor(request.url.hostname)
    const refusal = faultMode === 'ok' ? vendor?.refuse?.(request) : undefined
    if (refusal !== undefined) return upgrade.end(`HTTP/1.1 ${refusal} ${STATUS_CODES[refusal]}\r\n\r\n`)
    sockets.handleUpgrade(incoming, upgrade, head, (socket) => {
      if (faultMode === 'ok') vendor?.talk?.(socket, request)
      if (faultMode === 'cut off') socket.terminate()
      if (faultMode === 'nonsense') socket.send('<html>It works!</html>')
    })
  }
  server.on('upgrade', (incoming, upgrade, head) => void talk(incoming, upgrade, head))

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${getPort(server)}`
  const grpcServers = await Promise.all(
    fakeVendors.flatMap(({ grpc }) => (grpc === undefined ? [] : [startGrpcServer(grpc, () => faultMode)])),
  )
  const owners = [...fakeVendors.map(({ hosts }) => ({ hosts, origin })), ...grpcServers]
  const addresses = owners.flatMap(({ hosts, origin: at }) => hosts.map((host) => [host, at] as const))
  return {
    addresses: Object.fromEntries(addresses),
    environment: { VENDOR_ADDRESSES: addresses.map(([host, at]) => `${host}=${at}`).join(',') },
    behave(next) {
      faultMode = next
    },
    taken() {
      const all = taken
      taken = []
      return all
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await Promise.all(grpcServers.map((each) => each.stop()))
    },
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { getPort } from '../ports.ts'
import { respondWithFault, type FaultMode } from '../fault-modes.ts'
import type { FakeAnswer, FakeRequest, FakeVendor } from './fake-vendor.ts'
import { startGrpcServer } from './grpc-server.ts'
import { fakeVendors } from './vendors.ts'

/** All vendors of speech on one port of 127.0.0.1, told apart by the host that was meant; gRPC has ports of its own. */

export interface FakeVendorServer {
  /** for VENDOR_ADDRESSES */
  addresses: Readonly<Record<string, string>>
  /** the same, as the environment of a server says it */
  environment: { VENDOR_ADDRESSES: string }
  /** how all vendors behave from now on */
  behave(mood: FaultMode): void
  /** what was asked for, as `POST https://host/path`, since the last look */
  taken(): string[]
  stop(): Promise<void>
}

const vendorOf = (host: string): FakeVendor | undefined =>
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
  let mood: FaultMode = 'ok'
  let taken: string[] = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })

  const requestOf = async (incoming: IncomingMessage): Promise<FakeRequest> => {
    const { method = '', url = '', headers } = incoming
    const request = { method, url: new URL(`https://${headers.host}${url}`), headers, body: await buffer(incoming) }
    taken.push(`${method} ${request.url.origin}${request.url.pathname}`)
    return request
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await requestOf(incoming)
    if (mood !== 'ok') return respondWithFault(response, mood)
    write(response, (await vendorOf(request.url.hostname)?.answer?.(request)) ?? { status: 404 })
  }
  server.on('request', (incoming, response) => void serve(incoming, response))

  const talk = async (
    incoming: IncomingMessage,
    upgrade: Parameters<WebSocketServer['handleUpgrade']>[1],
    head: Buffer,
  ) => {
    const request = await requestOf(incoming)
    const vendor = vendorOf(request.url.hostname)
    const refusal = mood === 'ok' ? vendor?.refuse?.(request) : undefined
    if (refusal !== undefined) return upgrade.end(`HTTP/1.1 ${refusal} ${STATUS_CODES[refusal]}\r\n\r\n`)
    sockets.handleUpgrade(incoming, upgrade, head, (socket) => {
      if (mood === 'ok') vendor?.talk?.(socket, request)
      if (mood === 'cut off') socket.terminate()
      if (mood === 'nonsense') socket.send('<html>It works!</html>')
    })
  }
  server.on('upgrade', (incoming, upgrade, head) => void talk(incoming, upgrade, head))

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${getPort(server)}`
  const grpcServers = await Promise.all(
    fakeVendors.flatMap(({ grpc }) => (grpc === undefined ? [] : [startGrpcServer(grpc, () => mood)])),
  )
  const owners = [...fakeVendors.map(({ hosts }) => ({ hosts, origin })), ...grpcServers]
  const addresses = owners.flatMap(({ hosts, origin: at }) => hosts.map((host) => [host, at] as const))
  return {
    addresses: Object.fromEntries(addresses),
    environment: { VENDOR_ADDRESSES: addresses.map(([host, at]) => `${host}=${at}`).join(',') },
    behave(next) {
      mood = next
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

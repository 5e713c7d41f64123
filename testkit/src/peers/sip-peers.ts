import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { getPort } from '../servers/ports.ts'

/** SIP peers on 127.0.0.1 that respond in any way, to test clients against. */

export interface SipPeer {
  port: number
  /** The requests, in order. */
  requests: string[]
  stop(): Promise<void>
}

const header = (request: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(request)?.[1]?.trim() ?? ''

/** Returns a response with the headers that the request determines (RFC 3261 §8.2.6). */
export const sipResponse = (
  request: string,
  status = '200 OK',
  changes: Readonly<Record<string, string>> = {},
): string => {
  const headers = {
    Via: header(request, 'Via'),
    From: header(request, 'From'),
    To: `${header(request, 'To')};tag=peer`,
    'Call-ID': header(request, 'Call-ID'),
    CSeq: header(request, 'CSeq'),
    'Content-Length': '0',
    ...changes,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`SIP/2.0 ${status}`, ...lines, '', ''].join('\r\n')
}

type UdpResponder = (request: string, from: RemoteInfo, socket: UdpSocket) => void

/** Starts a UDP peer. */
export const startUdpPeer = async (respond: UdpResponder): Promise<SipPeer> => {
  const socket = createSocket('udp4')
  const requests: string[] = []
  socket.on('message', (datagram, from) => {
    requests.push(datagram.toString())
    respond(datagram.toString(), from, socket)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    requests,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

type StreamResponder = (request: string, socket: Socket) => void

const startStreamPeer = async (
  create: (handle: (socket: Socket) => void) => Server,
  respond: StreamResponder,
): Promise<SipPeer> => {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = create((socket) => {
    sockets.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => sockets.delete(socket))
      .on('data', (bytes) => {
        requests.push(bytes.toString())
        respond(bytes.toString(), socket)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: getPort(server),
    requests,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Starts a TCP peer. */
export const startTcpPeer = (respond: StreamResponder): Promise<SipPeer> =>
  startStreamPeer((handle) => createTcpServer(handle), respond)

/** Starts a TLS peer with a certificate in PEM format. */
export const startTlsPeer = (credentials: { cert: string; key: string }, respond: StreamResponder): Promise<SipPeer> =>
  startStreamPeer((handle) => createTlsServer(credentials, handle).on('tlsClientError', () => {}), respond)

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { Server, ServerCredentials, type ServiceError, type status } from '@grpc/grpc-js'
import type { FaultMode } from '../../peers/fault-modes.ts'
import { getPort } from '../../servers/ports.ts'
import type { FakeVendor } from './fake-vendor.ts'

/** Creates the error of a gRPC method. */
export const refusal = (code: status, details: string): Partial<ServiceError> => ({ code, details })

interface GrpcServer {
  hosts: readonly string[]
  origin: string
  stop(): Promise<void>
}

/** Starts a gRPC server on 127.0.0.1 behind a proxy that implements the fault modes. */
export const startGrpcServer = async (
  { hosts, serve }: NonNullable<FakeVendor['grpc']>,
  getFaultMode: () => FaultMode,
): Promise<GrpcServer> => {
  const server = new Server()
  serve(server)
  const bind = promisify(server.bindAsync.bind(server))
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure())

  const open = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
  }
  const passOn = (client: Socket): void => {
    const inner = keep(connect(port, '127.0.0.1'))
    client.pipe(inner).pipe(client)
    client.on('close', () => inner.destroy())
    inner.on('close', () => client.destroy())
  }
  const handle = (client: Socket): void => {
    keep(client)
    const faultMode = getFaultMode()
    if (faultMode === 'ok') passOn(client)
    if (faultMode === 'cut off') client.once('data', () => client.destroy())
    if (faultMode === 'nonsense') client.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>It works!</html>')
  }
  const front = createServer(handle).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    hosts,
    origin: `http://127.0.0.1:${getPort(front)}`,
    async stop() {
      for (const socket of open) socket.destroy()
      front.close()
      await once(front, 'close')
      server.forceShutdown()
    },
  }
}

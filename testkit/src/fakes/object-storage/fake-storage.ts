import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { getPort } from '../../servers/ports.ts'

/** Parts that the fakes of object storages share. The fakes reject requests that the vendor rejects. */

/** Name of the only bucket or container of each fake. */
export const bucketName = 'recordings'

export const closeServer = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

export interface StoredObject {
  content: Buffer
  metadata: Readonly<Record<string, unknown>>
}

/** Contents of a fake and the requests that it has received. */
interface Contents {
  objects: Map<string, StoredObject>
  requests: string[]
  /** Statuses with which the fake rejects the next authorized requests. */
  failures: number[]
}

/** A running fake. */
export interface FakeStorage extends Contents {
  origin: string
  stop(): Promise<void>
}

export interface FakeResponse {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

type RespondTo = (request: IncomingMessage, url: URL, body: Buffer) => FakeResponse | Promise<FakeResponse>

export const startFakeStorage = async (createHandler: (contents: Contents) => RespondTo): Promise<FakeStorage> => {
  const contents: Contents = { objects: new Map(), requests: [], failures: [] }
  const respondTo = createHandler(contents)
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    contents.requests.push(`${request.method} ${decodeURIComponent(url.pathname)}`)
    const { status, headers = {}, body = '' } = await respondTo(request, url, await buffer(request))
    response.writeHead(status, headers).end(body)
  }
  // A client can abort a request.
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { ...contents, origin: `http://127.0.0.1:${getPort(server)}`, stop: () => closeServer(server) }
}

/** Returns the requested part of an object if the Range header has both ends. */
export const getPart = (content: Buffer, range: unknown): FakeResponse | undefined => {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(range)) ?? []
  if (first === undefined || last === undefined) return undefined
  const body = content.subarray(Number(first), Number(last) + 1)
  const headers = { 'content-range': `bytes ${first}-${last}/${content.length}`, 'content-length': String(body.length) }
  return { status: 206, headers, body }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { getPort } from '../ports.ts'

/**
 * Defines what happens to the inserts of a table: `pass` forwards them, `delay` waits before it forwards them, `withhold`
 * forwards them and waits before it returns the response, and `lose` forwards them and closes the connection instead.
 */
export type GateMode = 'pass' | 'delay' | 'withhold' | 'lose'

/** A proxy in front of ClickHouse that can delay or lose the inserts of a table. */
export interface InsertGate {
  /** Address for Patchbay. */
  readonly url: string
  /** Sets what happens to further inserts. `pass` also ends the waiting of earlier ones. */
  set(mode: GateMode): void
  /** Returns the number of inserts that wait. */
  countWaiting(): number
  /** Returns the number of inserts that have arrived. */
  countInserts(): number
  stop(): Promise<void>
}

/**
 * Starts the proxy.
 * @param address URL of ClickHouse with the credentials and the database
 */
export const startInsertGate = async (address: string, table: string): Promise<InsertGate> => {
  const target = new URL(address)
  let mode: GateMode = 'pass'
  let inserts = 0
  const waiting: (() => void)[] = []

  const wait = () => new Promise<void>((resolve) => void waiting.push(resolve))

  const forward = async (request: IncomingMessage, body: Buffer) => {
    const { 'transfer-encoding': _chunked, ...headers } = request.headers
    const outgoing = send({
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.url,
      headers: { ...headers, 'content-length': body.length },
    })
    outgoing.end(body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { incoming, content: await buffer(incoming) }
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const statement = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query') ?? ''
    const isInsert = statement.startsWith(`INSERT INTO ${table} `)
    const current = isInsert ? mode : 'pass'
    if (isInsert) inserts += 1
    const body = await buffer(request)
    // ClickHouse completes an insert of a client that has disconnected.
    if (current === 'delay') await wait()
    const { incoming, content } = await forward(request, body)
    if (current === 'withhold') await wait()
    if (current === 'lose') return void request.socket.destroy()
    const { 'transfer-encoding': _chunks, ...headers } = incoming.headers
    response.writeHead(incoming.statusCode ?? 500, { ...headers, 'content-length': content.length })
    response.end(content)
  }

  const server = createServer((request, response) => {
    // A request fails if ClickHouse does not run, or if the client has disconnected.
    respond(request, response).catch(() => request.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(address)
  url.host = `127.0.0.1:${getPort(server)}`
  const set = (next: GateMode) => {
    mode = next
    if (next === 'pass') for (const resume of waiting.splice(0)) resume()
  }
  return {
    url: url.href,
    set,
    countWaiting: () => waiting.length,
    countInserts: () => inserts,
    async stop() {
      set('pass')
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

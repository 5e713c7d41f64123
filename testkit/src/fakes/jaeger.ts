import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getPort } from '../servers/ports.ts'

/** A fake of Jaeger's query service with its API v3 (jaegertracing.io/docs/latest/architecture/apis). */
export interface FakeJaeger {
  base: string
  /** Response bodies by trace id. */
  traces: Map<string, string>
  /** Paths of the requests. */
  requests: string[]
  /** Replaces the regular response of the following requests. */
  answer: ((response: ServerResponse) => unknown) | undefined
  stop(): Promise<void>
}

const json = { 'content-type': 'application/json' }

const errorBody = (httpCode: number, message: string): string => JSON.stringify({ error: { httpCode, message } })

export const startFakeJaeger = async (): Promise<FakeJaeger> => {
  const respond = ({ method, url = '' }: IncomingMessage, response: ServerResponse) => {
    jaeger.requests.push(url)
    if (jaeger.answer) return jaeger.answer(response)
    const trace_id = /^\/api\/v3\/traces\/([^/?]+)$/.exec(url)?.[1]
    if (trace_id === undefined) return response.writeHead(404).end('404 page not found')
    if (method !== 'GET') return response.writeHead(405).end()
    if (!/^[0-9a-f]{1,32}$/.test(trace_id))
      return response.writeHead(400, json).end(errorBody(400, 'malformed parameter trace_id'))
    const body = jaeger.traces.get(trace_id)
    if (body === undefined) return response.writeHead(404, json).end(errorBody(404, 'No traces found'))
    return response.writeHead(200, json).end(body)
  }
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const jaeger: FakeJaeger = {
    base: `http://127.0.0.1:${getPort(server)}`,
    traces: new Map(),
    requests: [],
    answer: undefined,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return jaeger
}

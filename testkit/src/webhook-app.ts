import client from '@jambonz/node-client'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getPort } from './ports.ts'

/** An application as its makers write one, with the platform's own SDK: it wants our signature, and answers with verbs. */

export interface Heard {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  /** as JSON, where there is any */
  body: unknown
}

export interface WebhookApp {
  origin: string
  /** all that was asked, in order; also what was not signed as it should be */
  heard: Heard[]
  /** what comes next in place of its own answer */
  answer: ((response: ServerResponse) => unknown) | undefined
  close(): void
}

const { WebhookResponse } = client

/** What the SDK's middleware looks at, as Express gives it. */
const asExpress = ({ url }: IncomingMessage, { headers, body }: Heard) => ({
  url,
  body,
  get: (name: string) => headers[name.toLowerCase()],
})

const isSigned = (secret: string, request: IncomingMessage, heard: Heard): boolean => {
  let passed = false
  try {
    WebhookResponse.verifyJambonzSignature(secret)(asExpress(request, heard), undefined, () => {
      passed = true
    })
  } catch {
    // That is how it refuses.
  }
  return passed
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const parts = await request.toArray()
  const text = Buffer.concat(parts as Buffer[]).toString()
  return text === '' ? undefined : JSON.parse(text)
}

const greet = () => new WebhookResponse().pause({ length: 1 }).say({ text: 'Good morning' }).hangup({})

/** `secret`: the signing secret of the account, without which nothing is verified */
export const startWebhookApp = async (secret?: string): Promise<WebhookApp> => {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers } = request
    // Which environment variables it wants, it does not say.
    if (method === 'OPTIONS') return response.writeHead(404).end()
    const heard = { method, path, headers, body: await bodyOf(request) }
    app.heard.push(heard)
    if (secret !== undefined && !isSigned(secret, request, heard)) return response.writeHead(401).end()
    if (app.answer) return app.answer(response)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(greet()))
  }
  const server = createServer((request, response) => void serve(request, response))
  const app: WebhookApp = {
    origin: '',
    heard: [],
    answer: undefined,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  app.origin = `http://127.0.0.1:${getPort(server)}`
  return app
}

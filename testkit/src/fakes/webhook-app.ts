import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import client from '@jambonz/node-client'
import { getPort } from '../servers/ports.ts'

/**
 * A webhook application built with the platform's own SDK. It verifies Patchbay's signature and responds with verbs.
 */

export interface ReceivedRequest {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  /** Parsed JSON. Undefined if the body is empty. */
  body: unknown
}

export interface WebhookApp {
  origin: string
  /** All requests in the order of arrival, including those with an invalid signature. */
  heard: ReceivedRequest[]
  /** Replaces the regular response of the following requests. */
  answer: ((response: ServerResponse) => unknown) | undefined
  close(): void
}

const { WebhookResponse } = client

/** Adapts a request to the Express API that the SDK's middleware uses. */
const asExpress = ({ url }: IncomingMessage, { headers, body }: ReceivedRequest) => ({
  url,
  body,
  get: (name: string) => headers[name.toLowerCase()],
})

const isSigned = (secret: string, request: IncomingMessage, heard: ReceivedRequest): boolean => {
  let passed = false
  try {
    WebhookResponse.verifyJambonzSignature(secret)(asExpress(request, heard), undefined, () => {
      passed = true
    })
  } catch {
    // The SDK throws for an invalid signature.
  }
  return passed
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const parts = await request.toArray()
  const text = Buffer.concat(parts as Buffer[]).toString()
  return text === '' ? undefined : JSON.parse(text)
}

const greet = () => new WebhookResponse().pause({ length: 1 }).say({ text: 'Good morning' }).hangup({})

/** @param secret signing secret of the account; without it, signatures are not verified */
export const startWebhookApp = async (secret?: string): Promise<WebhookApp> => {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers } = request
    // The application declares no environment variables.
    if (method === 'OPTIONS') return response.writeHead(404).end()
    const heard = { method, path, headers, body: await readBody(request) }
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

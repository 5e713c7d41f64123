import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { WebSocket } from 'ws'
import { publicNetworks } from './networks.ts'
import { type Agents, operatorAgents, publicAgents } from './public-agents.ts'

/**
 * Calls to addresses that a tenant names or a vendor has. They reach public addresses and what the operator allows;
 * what comes back is bounded; they end with the signal of the one who calls. Redirects are not followed.
 */
export interface Outgoing {
  /** The answer, whatever its status; rejects where there is none. `ws:` and `wss:` are called as http(s). */
  send(url: string, request: OutgoingRequest): Promise<FarAnswer>
  /** Resolves when the WebSocket is open. */
  connect(url: string, opening: Opening): Promise<FarSocket>
  /** For libraries that connect by themselves: where this address (https://host, or http://host:port) is. */
  resolve(url: string): Promise<Endpoint>
}

export interface OutgoingRequest {
  /** GET unless it is said */
  method?: string
  headers?: Readonly<Record<string, string>>
  /** a form is sent as multipart, parameters as application/x-www-form-urlencoded; of others the caller says the type */
  body?: string | Buffer | FormData | URLSearchParams
  /** called when the answer begins */
  onAnswer?: (head: AnswerHead) => void
  /** most bytes of the answer's body; 4 MB unless it is said */
  most?: number
  stop: AbortSignal
}

/** What of an answer comes before its body. */
export interface AnswerHead {
  status: number
  statusText: string
  /** names in small letters */
  headers: Readonly<Record<string, string>>
}

export interface FarAnswer extends AnswerHead {
  body: Buffer
}

export interface Opening {
  headers?: Readonly<Record<string, string>>
  stop: AbortSignal
}

export interface FarSocket {
  send(data: string | Buffer): void
  /** What the far side sends, text as text; ends when it closes properly, throws when it breaks off. */
  messages: AsyncIterable<string | Buffer>
  close(): void
}

/** Where to connect, and as whom to ask for it. */
export interface Endpoint {
  address: string
  port: number
  /** with its port where the address has one */
  authority: string
  hostname: string
  secure: boolean
}

export interface OutgoingNetwork {
  /** networks that are not public and may be called nevertheless, as `10.0.0.0/8` */
  privateNetworks: readonly string[]
  /** origins in place of vendors' own hosts, by host; `*.` in front stands for any name below */
  vendorAddresses: Readonly<Record<string, string>>
}

const megabyte = 2 ** 20

/** All that one WebSocket may bring. */
const mostOfSocket = 16 * megabyte

export class AnswerTooLarge extends Error {
  constructor(most: number) {
    super(`The answer is larger than ${most} bytes`)
  }
}

/** What a gateway in a vendor's place has to know is in the Host header: which of its hosts was meant. */
const elsewhere = ({ vendorAddresses }: OutgoingNetwork, { hostname }: URL): string | undefined => {
  const [, ...above] = hostname.split('.')
  return vendorAddresses[hostname] ?? vendorAddresses[`*.${above.join('.')}`]
}

const httpOf = (url: string): URL => new URL(url.replace(/^ws(?=s?:)/i, 'http'))

const encoded = async ({ body, headers = {} }: OutgoingRequest) => {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return { content: body, headers }
  const response = new Response(body)
  const type = response.headers.get('content-type') ?? ''
  return { content: Buffer.from(await response.arrayBuffer()), headers: { 'content-type': type, ...headers } }
}

const bodyOf = async (response: IncomingMessage, most: number): Promise<Buffer> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > most) {
      response.destroy()
      throw new AnswerTooLarge(most)
    }
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const textHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

/** Messages that came and were not taken yet are kept: the listeners stand from the start. */
const messagesOf = (socket: WebSocket): AsyncIterable<string | Buffer> => {
  const waiting: (string | Buffer)[] = []
  let size = 0
  let closed: { code: number; reason: string } | undefined
  let failed: unknown
  let wake = () => {}
  socket.on('message', (data, isBinary) => {
    const content = Buffer.concat([data].flat().map((part) => Buffer.from(part as Buffer)))
    waiting.push(isBinary ? content : content.toString())
    size += content.length
    if (size > mostOfSocket) {
      failed = new AnswerTooLarge(mostOfSocket)
      socket.terminate()
    }
    wake()
  })
  socket.on('error', (error) => {
    failed = error
  })
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() }
    wake()
  })
  const arrival = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return (async function* () {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined) yield message
      else if (closed === undefined) await arrival()
      else if (failed !== undefined) throw failed
      else if (closed.code === 1000 || closed.code === 1005) return
      else throw new Error(closed.reason || `The connection was closed with code ${closed.code}`)
    }
  })()
}

export const createOutgoing = (network: OutgoingNetwork): Outgoing => {
  const guarded = publicAgents(network.privateNetworks)
  const unguarded = operatorAgents()
  const networks = publicNetworks(network.privateNetworks)

  const placeOf = (url: URL): { url: URL; agents: Agents } => {
    const origin = elsewhere(network, url)
    if (origin === undefined) return { url, agents: guarded }
    // Not resolved against the origin: a path that starts with two slashes would name another host.
    return { url: Object.assign(new URL(origin), { pathname: url.pathname, search: url.search }), agents: unguarded }
  }

  return {
    async send(address, request) {
      const asked = httpOf(address)
      const { url, agents } = placeOf(asked)
      const { content, headers } = await encoded(request)
      const secure = url.protocol === 'https:'
      const sent = (secure ? requestHttps : requestHttp)(url, {
        method: request.method ?? 'GET',
        headers: {
          ...headers,
          host: asked.host,
          'content-length': content === undefined ? 0 : Buffer.byteLength(content),
        },
        agent: secure ? agents.https : agents.http,
        signal: request.stop,
      })
      sent.end(content)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const { statusCode = 0, statusMessage = '' } = response
      const head = { status: statusCode, statusText: statusMessage, headers: textHeaders(response) }
      request.onAnswer?.(head)
      return { ...head, body: await bodyOf(response, request.most ?? 4 * megabyte) }
    },

    async connect(address, { headers = {}, stop }) {
      const asked = httpOf(address)
      const { url, agents } = placeOf(asked)
      const socket = new WebSocket(url, {
        headers: { ...headers, host: asked.host },
        agent: url.protocol === 'https:' ? agents.https : agents.http,
        followRedirects: false,
        maxPayload: megabyte,
      })
      const end = () => socket.terminate()
      stop.addEventListener('abort', end, { once: true })
      socket.on('close', () => stop.removeEventListener('abort', end))
      const messages = messagesOf(socket)
      await once(socket, 'open', { signal: stop })
      return {
        messages,
        send: (data) => socket.send(data),
        close: () => socket.terminate(),
      }
    },

    async resolve(address) {
      const asked = httpOf(address)
      const origin = elsewhere(network, asked)
      const url = origin === undefined ? asked : new URL(origin)
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      const secure = url.protocol === 'https:'
      const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
      const place = { port, authority: asked.host, hostname: asked.hostname, secure }
      if (origin !== undefined) return { ...place, address: hostname }
      networks.check(hostname)
      const [first] = await new Promise<LookupAddress[]>((resolve, reject) => {
        networks.lookup(hostname, { all: true }, (error, addresses) => {
          if (error) reject(error)
          else resolve([addresses].flat().filter((found) => typeof found !== 'string'))
        })
      })
      if (first === undefined) throw new Error(`${hostname} has no address`)
      return { ...place, address: first.address }
    },
  }
}

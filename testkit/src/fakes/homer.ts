import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { asArray, asRecord } from '@patchbay/rules/traces/traces'
import { getPort } from '../servers/ports.ts'

/** A fake of Homer 7 with the parts of its API v3 that search and export messages (github.com/sipcapture/homer-app). */
export interface FakeHomer {
  /** The only account. */
  address: { base: string; username: string; password: string }
  /** Response to a search. */
  capture: object
  /** Response to an export. */
  pcap: Buffer
  requests: { path: string; authorization: string | undefined; body: unknown }[]
  /** Replaces the regular response of requests with a valid token. */
  answer: ((response: ServerResponse) => unknown) | undefined
  /** Replaces the regular response of sign-ins. */
  answerSignIn: ((response: ServerResponse) => unknown) | undefined
  /** Makes all tokens expire that have been issued. */
  expireTokens(): void
  stop(): Promise<void>
}

/** Returns whether Homer accepts the body of a search. */
const isSearch = (body: unknown): boolean => {
  const { param, timestamp } = asRecord(body)
  const { from, to } = asRecord(timestamp)
  const { transaction, search } = asRecord(param)
  const tables = Object.entries(asRecord(search))
  return (
    ['call', 'registration', 'rest'].every((kind) => typeof asRecord(transaction)[kind] === 'boolean') &&
    tables.length > 0 &&
    tables.every(([table, fields]) => /^\d+_\w+$/.test(table) && asArray(asRecord(fields)['callid']).length > 0) &&
    Number.isInteger(from) &&
    Number.isInteger(to) &&
    Number(from) < Number(to)
  )
}

/** Reads a JSON body. Returns undefined if it is not declared as JSON or cannot be parsed. */
const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const content = await text(request)
  try {
    return request.headers['content-type']?.startsWith('application/json') ? JSON.parse(content) : undefined
  } catch {
    return undefined
  }
}

const emptyPcap = Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex')

export const startFakeHomer = async (): Promise<FakeHomer> => {
  let tokenNumber = 0
  const validTokens = new Set<string>()

  const say = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const fail = (response: ServerResponse, statuscode: number, message: string) =>
    say(response, statuscode, { statuscode, error: message, message })

  const signIn = (body: unknown, response: ServerResponse) => {
    if (homer.answerSignIn) return homer.answerSignIn(response)
    const { username, password } = homer.address
    const credentials = asRecord(body)
    if (typeof credentials['username'] !== 'string' || typeof credentials['password'] !== 'string')
      return fail(response, 400, 'Bad Request')
    if (credentials['username'] !== username || credentials['password'] !== password)
      return fail(response, 401, 'bad credentials')
    tokenNumber += 1
    validTokens.add(`Bearer token-${tokenNumber}`)
    return say(response, 201, { token: `token-${tokenNumber}`, scope: 'e4c4e3a0', user: { admin: false } })
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path = '' } = request
    const { authorization } = request.headers
    const body = await readJson(request)
    homer.requests.push({ path, authorization, body })
    const isKnown = /^\/api\/v3\/(?:auth|call\/transaction|export\/call\/messages\/pcap)$/.test(path)
    if (!isKnown) return fail(response, 404, 'Not Found')
    if (method !== 'POST') return fail(response, 405, 'Method Not Allowed')
    if (body === undefined) return fail(response, 415, 'Unsupported Media Type')
    if (path === '/api/v3/auth') return signIn(body, response)
    if (authorization === undefined) return fail(response, 400, 'missing or malformed jwt')
    if (!validTokens.has(authorization)) return fail(response, 401, 'invalid or expired jwt')
    if (homer.answer) return homer.answer(response)
    if (!isSearch(body)) return fail(response, 400, 'Bad Request')
    if (path === '/api/v3/call/transaction') return say(response, 200, homer.capture)
    return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(homer.pcap)
  }

  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const homer: FakeHomer = {
    address: { base: `http://127.0.0.1:${getPort(server)}`, username: 'patchbay', password: 'secret' },
    capture: { total: 0, data: { messages: [], calldata: [], hosts: {}, alias: {} }, keys: [] },
    pcap: emptyPcap,
    requests: [],
    answer: undefined,
    answerSignIn: undefined,
    expireTokens: () => validTokens.clear(),
    async stop() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return homer
}

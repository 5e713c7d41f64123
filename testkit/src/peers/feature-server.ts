import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { getPort } from '../servers/ports.ts'
import { type Body, checkCallChange, checkMessage, checkNewCall, Rejection, readBody } from './feature-server-checks.ts'

/**
 * A fake feature server. It accepts commands and stores the state of calls in Redis
 * (docs/reference/platform-api/live-calls.md), with the responses, records, and errors of the real one, but places no
 * calls.
 */
export interface FeatureServer {
  url: string
  /** All requests in the order of arrival. */
  heard: { path: string; body: Readonly<Record<string, unknown>> }[]
  /** Replaces the regular response of the following requests. */
  answer: ((response: ServerResponse) => unknown) | undefined
  /** Adds an active call and returns its SID. `members` override members of the record. */
  call(account_sid: string, members?: Readonly<Record<string, string>>, beganMs?: number): Promise<string>
  /** Adds many active calls to an account. */
  calls(account_sid: string, count: number): Promise<void>
  /** Ends a call like a hangup by the caller. */
  end(call_sid: string): Promise<void>
  /** Adds the server to the cluster's set of active feature servers, or removes it. */
  join(cluster?: string): Promise<void>
  leave(cluster?: string): Promise<void>
  /** Writes to Redis like another component. */
  write(...commands: readonly (readonly string[])[]): Promise<void>
  close(): Promise<void>
}

const activeCallTtl = '43200'
const endedCallTtl = '3600'
const active = 'active-call-sids'

/** Encodes a command in the Redis protocol. */
const encoded = (command: readonly string[]): string =>
  `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`

/** Sends commands with single-line replies. */
const sendTo = async (port: number, commands: readonly (readonly string[])[]): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  const lines = createInterface(socket)
  socket.write(commands.map(encoded).join(''))
  let answered = 0
  for await (const line of lines) {
    if (line.startsWith('-')) throw new Error(line)
    answered += 1
    if (answered === commands.length) break
  }
  socket.destroy()
}

const callKey = (account_sid: string, call_sid: string): string => `call:${account_sid}:${call_sid}`

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

const calledIn = (to: unknown): string => {
  const { number, name, sipUri } = to as Record<string, string | undefined>
  return number ?? name ?? sipUri ?? ''
}

/** @param redisPort port of the platform's Redis */
export const startFeatureServer = async (redisPort: number): Promise<FeatureServer> => {
  /** Account SIDs and statuses of the calls of this server, by call SID. */
  const ownCalls = new Map<string, { account_sid: string; callStatus: string }>()
  const write = (...commands: readonly (readonly string[])[]) => sendTo(redisPort, commands)

  const put = (account_sid: string, members: Readonly<Record<string, string>>, began: number) => {
    const callSid = members['callSid'] ?? randomUUID()
    const record = {
      callSid,
      accountSid: account_sid,
      direction: 'inbound',
      from: '15083728299',
      to: '15083084809',
      callId: randomUUID(),
      sbcCallid: randomUUID(),
      sipStatus: '200',
      callStatus: 'in-progress',
      traceId: randomUUID().replaceAll('-', ''),
      originatingSipTrunkName: 'a trunk',
      serviceUrl: server.url,
      ...members,
    }
    ownCalls.set(callSid, { account_sid, callStatus: record.callStatus })
    const key = callKey(account_sid, callSid)
    const commands = [
      ['HSET', key, ...Object.entries(record).flat()],
      ['EXPIRE', key, activeCallTtl],
      ['ZADD', active, String(began), key],
    ]
    return { callSid, callId: record.callId, commands }
  }

  const change = async (call_sid: string, members: Readonly<Record<string, string>>, seconds: string) => {
    const key = callKey(ownCalls.get(call_sid)?.account_sid ?? '', call_sid)
    await write(['HSET', key, ...Object.entries(members).flat()], ['EXPIRE', key, seconds])
  }

  const end = async (call_sid: string, callStatus = 'completed') => {
    await change(call_sid, { callStatus, duration: '7', callTerminationBy: 'hangup' }, endedCallTtl)
    ownCalls.delete(call_sid)
  }

  const say = (response: ServerResponse, status: number, body?: object) => {
    if (body === undefined) return response.writeHead(status, { 'content-type': 'text/plain' }).end('Accepted')
    return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  const create = async (body: Body, response: ServerResponse) => {
    checkNewCall(body)
    const { account_sid, from, to, application_sid } = body
    const members = {
      direction: 'outbound',
      from: toText(from),
      to: calledIn(to),
      sipStatus: '100',
      callStatus: 'trying',
      ...(application_sid ? { applicationSid: toText(application_sid) } : {}),
    }
    const { callSid: sid, callId, commands } = put(toText(account_sid), members, Date.now())
    await write(...commands)
    return say(response, 201, { sid, callId })
  }

  const update = async (call_sid: string, body: Body, response: ServerResponse) => {
    checkCallChange(body, call_sid, ownCalls.get(call_sid)?.callStatus)
    if (body['call_status']) await end(call_sid, toText(body['call_status']))
    if (body['sip_request']) return say(response, 200, { status: 200, reason: 'OK' })
    return say(response, 202)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path = '' } = request
    const body = await readBody(request)
    server.heard.push({ path, body })
    if (server.answer) return server.answer(response)
    const [, command, sid = ''] = /^\/v1\/(\w+)(?:\/([\w-]+))?$/.exec(path) ?? []
    if (method === 'POST' && command === 'createCall' && sid === '') return create(body, response)
    if (method === 'POST' && command === 'updateCall' && sid !== '') return update(sid, body, response)
    if (method === 'POST' && command === 'createMessage' && sid !== '')
      // The real server logs an invalid message and never responds.
      return checkMessage(body) ? say(response, 201, { sid: body['message_sid'] }) : undefined
    return response.writeHead(404, { 'content-type': 'text/html' }).end(`<pre>Cannot ${method} ${path}</pre>`)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      say(response, error.status, error.body)
    }
  }

  const http = createServer((request, response) => void serve(request, response))
  const server: FeatureServer = {
    url: '',
    heard: [],
    answer: undefined,
    async call(account_sid, members = {}, began = Date.now()) {
      const { callSid, commands } = put(account_sid, members, began)
      await write(...commands)
      return callSid
    },
    async calls(account_sid, count) {
      const now = Date.now()
      const all = Array.from(
        { length: count },
        (_, number) => put(account_sid, { from: `1508${number}` }, now - number * 1000).commands,
      )
      await write(...all.flat())
    },
    end: (call_sid) => end(call_sid),
    join: (cluster = 'default') => write(['SADD', `${cluster}:fs-service-url`, server.url]),
    leave: (cluster = 'default') => write(['SREM', `${cluster}:fs-service-url`, server.url]),
    write,
    async close() {
      if (!http.listening) return
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  server.url = `http://127.0.0.1:${getPort(http)}`
  return server
}

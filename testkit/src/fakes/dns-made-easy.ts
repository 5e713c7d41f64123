import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import { text } from 'node:stream/consumers'
import { sendFaultyResponse } from '../peers/fault-modes.ts'
import { getPort } from '../servers/ports.ts'

/** A fake of the DNS Made Easy API according to its documentation. Rejects requests that the real API rejects. */

const key = 'the-key-of-dns-made-easy'
const secret = 'the-secret-of-dns-made-easy'
const maxClockSkewSeconds = 30

export interface FakeRecord {
  id: number
  zone: string
  name: string
  type: string
  value: string
}

/** `domains` lists the managed domains, `find` lists records by name. */
export type DnsStep = 'domains' | 'find' | 'make' | 'remove'
/** `cut off` closes the connection before the operation, `done but cut off` after it. */
export type DnsFaultMode = 'refuses' | 'cut off' | 'done but cut off' | 'nonsense' | 'slow'

export interface FakeDns {
  /** Settings for a server that uses this fake. */
  environment: Readonly<Record<string, string>>
  records: readonly FakeRecord[]
  /** Returns all records as `name type value`, sorted. */
  listRecords(): string[]
  /** Adds a record like an operator would. */
  add(record: Omit<FakeRecord, 'id'>): void
  /** Sets the fault of a step from now on. Without a fault, the step works. */
  at(step: DnsStep, fault?: DnsFaultMode): void
  /** Holds the next request of this step. Resolves when the request has arrived, with a function that releases it. */
  hold(step: DnsStep): Promise<() => void>
  /** Requests that must not occur, such as those with an invalid signature. */
  faults: readonly string[]
  stop(): Promise<void>
}

type Members = Readonly<Record<string, unknown>>

const faultOfRecord = (record: Members): string | undefined => {
  const { type, name, value, ttl, gtdLocation, port, priority, weight } = record
  if (typeof name !== 'string' || name === '' || typeof value !== 'string' || value === '') return 'name or value'
  if (typeof ttl !== 'number') return 'ttl'
  if (type === 'A') return isIPv4(value) && gtdLocation === 'DEFAULT' ? undefined : 'A'
  return type === 'SRV' && port === 5060 && priority === 10 && weight === 100 ? undefined : 'SRV'
}

export const startFakeDns = async (managed: readonly string[]): Promise<FakeDns> => {
  const zones = new Map(managed.map((name, at) => [name, 1000 + at]))
  const records: FakeRecord[] = []
  const faults: string[] = []
  const behaviour = new Map<DnsStep, DnsFaultMode>()
  const releaseCallbacks = new Map<DnsStep, (release: () => void) => void>()
  let last = 70_000

  const send = (response: ServerResponse, status: number, body?: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
  const refuse = (response: ServerResponse, status: number, error: string): void =>
    send(response, status, { error: [error] })

  const isSigned = ({ headers }: IncomingMessage): boolean => {
    const date = String(headers['x-dnsme-requestdate'])
    const isRecent = Math.abs(Date.parse(date) - Date.now()) < maxClockSkewSeconds * 1000
    const expectedHmac = createHmac('sha1', secret).update(date).digest('hex')
    const isRfc1123 = new Date(date).toUTCString() === date
    return headers['x-dnsme-apikey'] === key && isRecent && isRfc1123 && headers['x-dnsme-hmac'] === expectedHmac
  }

  const make = (zone: string, body: string, response: ServerResponse): void => {
    const requestedRecords = JSON.parse(body) as Members[]
    for (const record of requestedRecords) {
      const fault = faultOfRecord(record)
      if (fault) return refuse(response, 400, `wrong ${fault}`)
      const isThere = records.some(
        (one) => one.zone === zone && one.name === record['name'] && one.value === record['value'],
      )
      if (isThere) return refuse(response, 400, 'Record with this type, name, and value already exists.')
    }
    const createdRecords = requestedRecords.map(({ name, type, value }) => {
      last += 1
      return { id: last, zone, name: String(name), type: String(type), value: String(value) }
    })
    records.push(...createdRecords)
    send(response, 201, createdRecords)
  }

  const remove = (zone: string, url: URL, response: ServerResponse): void => {
    const ids = url.searchParams.getAll('ids').map(Number)
    const owners = ids.map((id) => records.findIndex((one) => one.zone === zone && one.id === id))
    if (ids.length === 0 || owners.includes(-1)) return refuse(response, 404, 'Cannot find record')
    for (const id of ids)
      records.splice(
        records.findIndex((one) => one.id === id),
        1,
      )
    send(response, 200)
  }

  const work = async (
    step: DnsStep,
    zone: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://dns.example')
    if (step === 'domains') return send(response, 200, { data: [...zones].map(([name, id]) => ({ name, id })) })
    if (step === 'make') return make(zone, await text(request), response)
    if (step === 'remove') return remove(zone, url, response)
    const name = url.searchParams.get('recordName')
    send(response, 200, { data: records.filter((one) => one.zone === zone && one.name === name) })
  }

  const misbehaveAt = async (
    fault: DnsFaultMode,
    done: (response: ServerResponse) => Promise<void>,
    response: ServerResponse,
  ): Promise<void> => {
    if (fault === 'refuses') return refuse(response, 500, 'Internal error')
    if (fault !== 'done but cut off') return sendFaultyResponse(response, fault)
    // The operation runs without sending its response.
    const noOwner = { writeHead: () => ({ end() {} }) } as unknown as ServerResponse
    await done(noOwner)
    sendFaultyResponse(response, 'cut off')
  }

  const parseStep = ({ method = '', url = '' }: IncomingMessage): { step: DnsStep; zone: string } | undefined => {
    const { pathname } = new URL(url, 'http://dns.example')
    if (method === 'GET' && pathname === '/dns/managed') return { step: 'domains', zone: '' }
    const [, id, rest] = /^\/dns\/managed\/(\d+)\/records(\/createMulti)?$/.exec(pathname) ?? []
    const zone = managed[Number(id) - 1000]
    if (zone === undefined) return undefined
    if (method === 'POST' && rest !== undefined) return { step: 'make', zone }
    if (rest !== undefined) return undefined
    return method === 'GET' ? { step: 'find', zone } : method === 'DELETE' ? { step: 'remove', zone } : undefined
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parsedStep = parseStep(request)
    if (!isSigned(request) || parsedStep === undefined) {
      faults.push(`${request.method} ${request.url}`)
      return refuse(response, parsedStep === undefined ? 404 : 403, 'not allowed')
    }
    const { step, zone } = parsedStep
    const arrived = releaseCallbacks.get(step)
    releaseCallbacks.delete(step)
    if (arrived) await new Promise<void>((release) => arrived(release))
    const fault = behaviour.get(step)
    if (fault) return misbehaveAt(fault, (to) => work(step, zone, request, to), response)
    await work(step, zone, request, response)
  }

  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${getPort(server)}`
  return {
    environment: { DME_BASE_URL: base, DME_API_KEY: key, DME_API_SECRET: secret },
    records,
    faults,
    listRecords: () => records.map(({ name, type, value }) => `${name} ${type} ${value}`).toSorted(),
    add(record) {
      last += 1
      records.push({ id: last, ...record })
    },
    at(step, fault) {
      if (fault) behaviour.set(step, fault)
      else behaviour.delete(step)
    },
    hold: (step) => new Promise((resolve) => releaseCallbacks.set(step, resolve)),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

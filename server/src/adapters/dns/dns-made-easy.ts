import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { DnsSettings } from '../../config/configuration.ts'
import { describeError } from '../outbound-http/error-messages.ts'
import { operatorTransport, readBody } from '../outbound-http/transport.ts'
import { type Dns, DnsFailed } from './dns.ts'

/** DNS Made Easy by its API, version 2.0. Records are named within their domain. */

const domains = z.object({ data: z.array(z.object({ name: z.string(), id: z.int() })) })
const record = z.object({ id: z.int(), type: z.string(), name: z.string() })
const records = z.object({ data: z.array(record) })

const ttl = 3600
const srvPrefix = '_sip._udp.'

/** The name of a realm within the domain that ends it. */
const nameIn = (zone: string, realm: string): string => realm.slice(0, -(zone.length + 1))

const recordsOf = (name: string, addresses: readonly string[]) => [
  ...addresses.map((value) => ({ type: 'A', name, value, gtdLocation: 'DEFAULT', ttl })),
  { type: 'SRV', name: `${srvPrefix}${name}`, value: name, port: 5060, priority: 10, weight: 100, ttl },
]

export const createDnsMadeEasy = ({ base, key, secret }: DnsSettings, { seconds = 10 } = {}): Dns => {
  /** Ids by name; looked for anew where one is missing. */
  let known: ReadonlyMap<string, number> | undefined

  const signed = (): Record<string, string> => {
    const date = new Date().toUTCString()
    return {
      'x-dnsme-apiKey': key,
      'x-dnsme-requestDate': date,
      'x-dnsme-hmac': createHmac('sha1', secret).update(date).digest('hex'),
    }
  }

  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    try {
      const response = await operatorTransport.send(`${base}${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...signed() },
        body: body === undefined ? undefined : JSON.stringify(body),
        limits: { timeoutMs: seconds * 1000 },
      })
      const { status } = response
      const content = (await readBody(response)).toString()
      if (status >= 200 && status <= 299) return content === '' ? undefined : JSON.parse(content)
      throw new DnsFailed(`DNS Made Easy answered ${status}: ${content.slice(0, 300)}`)
    } catch (error) {
      if (error instanceof DnsFailed) throw error
      throw new DnsFailed(describeError(error, 'DNS provider'), { cause: error })
    }
  }

  const read = <T>(schema: z.ZodType<T>, answer: unknown): T => {
    const { data } = schema.safeParse(answer)
    if (data === undefined) throw new DnsFailed('DNS Made Easy answered with something else than it should')
    return data
  }

  const readDomains = async (): Promise<ReadonlyMap<string, number>> => {
    const { data } = read(domains, await ask('GET', '/dns/managed'))
    return new Map(data.map(({ name, id }) => [name.toLowerCase(), id]))
  }

  /** The longest first: a domain below another may be managed by itself. */
  const among = (managed: ReadonlyMap<string, number>, realm: string): string | undefined =>
    [...managed.keys()]
      .filter((name) => realm.endsWith(`.${name}`))
      .toSorted((one, another) => another.length - one.length)[0]

  const idOf = async (zone: string): Promise<number> => {
    known ??= await readDomains()
    const id = known.get(zone) ?? (known = await readDomains()).get(zone)
    if (id === undefined) throw new DnsFailed(`DNS Made Easy does not manage ${zone}`)
    return id
  }

  return {
    async zoneOf(realm) {
      const found = known && among(known, realm)
      if (found !== undefined) return found
      known = await readDomains()
      return among(known, realm)
    },
    async find(zone, realm) {
      const name = nameIn(zone, realm)
      const id = await idOf(zone)
      const found: number[] = []
      for (const asked of [name, `${srvPrefix}${name}`]) {
        const answer = await ask('GET', `/dns/managed/${id}/records?recordName=${encodeURIComponent(asked)}`)
        const { data } = read(records, answer)
        found.push(...data.filter((one) => one.name.toLowerCase() === asked).map((one) => one.id))
      }
      return found
    },
    async make(zone, realm, addresses) {
      const path = `/dns/managed/${await idOf(zone)}/records/createMulti`
      return read(z.array(record), await ask('POST', path, recordsOf(nameIn(zone, realm), addresses)))
    },
    async remove(zone, ids) {
      if (ids.length === 0) return
      const asked = ids.map((id) => `ids=${id}`).join('&')
      await ask('DELETE', `/dns/managed/${await idOf(zone)}/records?${asked}`)
    },
  }
}

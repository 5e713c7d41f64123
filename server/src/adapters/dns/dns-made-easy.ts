import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { DnsSettings } from '../../config/settings/dns-settings.ts'
import { describeError } from '../outbound-http/error-messages.ts'
import { operatorTransport, readBody } from '../outbound-http/transport.ts'
import { type Dns, DnsError } from './dns.ts'

/** DNS Made Easy, API version 2.0. Record names are relative to the domain. */

const domainList = z.object({ data: z.array(z.object({ name: z.string(), id: z.int() })) })
const record = z.object({ id: z.int(), type: z.string(), name: z.string() })
const records = z.object({ data: z.array(record) })

const ttl = 3600
const srvPrefix = '_sip._udp.'

/** Returns the name of a realm relative to its domain. */
const relativeName = (zone: string, realm: string): string => realm.slice(0, -(zone.length + 1))

const createRecordData = (name: string, addresses: readonly string[]) => [
  ...addresses.map((value) => ({ type: 'A', name, value, gtdLocation: 'DEFAULT', ttl })),
  { type: 'SRV', name: `${srvPrefix}${name}`, value: name, port: 5060, priority: 10, weight: 100, ttl },
]

/**
 * Creates the DNS provider DNS Made Easy.
 * @param options `seconds` is the time limit of a request
 */
export const createDnsMadeEasy = ({ base, key, secret }: DnsSettings, { seconds = 10 } = {}): Dns => {
  /** IDs of the managed domains by name. Fetched again if a domain is missing. */
  let zoneIds: ReadonlyMap<string, number> | undefined

  const createAuthHeaders = (): Record<string, string> => {
    const date = new Date().toUTCString()
    return {
      'x-dnsme-apiKey': key,
      'x-dnsme-requestDate': date,
      'x-dnsme-hmac': createHmac('sha1', secret).update(date).digest('hex'),
    }
  }

  const sendRequest = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    try {
      const response = await operatorTransport.send(`${base}${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...createAuthHeaders() },
        body: body === undefined ? undefined : JSON.stringify(body),
        limits: { timeoutMs: seconds * 1000 },
      })
      const { status } = response
      const content = (await readBody(response)).toString()
      if (status >= 200 && status <= 299) return content === '' ? undefined : JSON.parse(content)
      throw new DnsError(`DNS Made Easy answered ${status}: ${content.slice(0, 300)}`, { status })
    } catch (error) {
      if (error instanceof DnsError) throw error
      throw new DnsError(describeError(error, 'DNS provider'), { cause: error })
    }
  }

  const parseResponse = <T>(schema: z.ZodType<T>, response: unknown): T => {
    const { data } = schema.safeParse(response)
    if (data === undefined) throw new DnsError('DNS Made Easy returned an unexpected response')
    return data
  }

  const listZones = async (): Promise<ReadonlyMap<string, number>> => {
    const { data } = parseResponse(domainList, await sendRequest('GET', '/dns/managed'))
    return new Map(data.map(({ name, id }) => [name.toLowerCase(), id]))
  }

  /** Prefers the longest match, because a subdomain may be managed separately. */
  const findLongestZone = (managed: ReadonlyMap<string, number>, realm: string): string | undefined =>
    [...managed.keys()]
      .filter((name) => realm.endsWith(`.${name}`))
      .toSorted((one, another) => another.length - one.length)[0]

  const findZoneId = async (zone: string): Promise<number> => {
    zoneIds ??= await listZones()
    const id = zoneIds.get(zone) ?? (zoneIds = await listZones()).get(zone)
    if (id === undefined) throw new DnsError(`DNS Made Easy does not manage ${zone}`)
    return id
  }

  return {
    async findZone(realm) {
      const zone = zoneIds && findLongestZone(zoneIds, realm)
      if (zone !== undefined) return zone
      zoneIds = await listZones()
      return findLongestZone(zoneIds, realm)
    },
    async findRecordIds(zone, realm) {
      const name = relativeName(zone, realm)
      const id = await findZoneId(zone)
      const recordIds: number[] = []
      for (const recordName of [name, `${srvPrefix}${name}`]) {
        const response = await sendRequest(
          'GET',
          `/dns/managed/${id}/records?recordName=${encodeURIComponent(recordName)}`,
        )
        const { data } = parseResponse(records, response)
        recordIds.push(...data.filter((one) => one.name.toLowerCase() === recordName).map((one) => one.id))
      }
      return recordIds
    },
    async createRecords(zone, realm, addresses) {
      const path = `/dns/managed/${await findZoneId(zone)}/records/createMulti`
      return parseResponse(
        z.array(record),
        await sendRequest('POST', path, createRecordData(relativeName(zone, realm), addresses)),
      )
    },
    async removeRecords(zone, ids) {
      if (ids.length === 0) return
      const query = ids.map((id) => `ids=${id}`).join('&')
      await sendRequest('DELETE', `/dns/managed/${await findZoneId(zone)}/records?${query}`)
    },
  }
}

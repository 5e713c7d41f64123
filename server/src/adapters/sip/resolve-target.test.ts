import type { NaptrRecord, SrvRecord } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { type AddressPolicy, HostUnavailableError } from '../outbound-http/ssrf-guard.ts'
import { createTargetResolver, type SipHost } from './resolve-target.ts'

/** Tests the order of DNS lookups (RFC 3263 §4). */

const hosts: Readonly<Record<string, string[]>> = {
  'sip.carrier.example': ['203.0.113.1'],
  'a.carrier.example': ['203.0.113.10', '203.0.113.11'],
  'b.carrier.example': ['203.0.113.20'],
}
const policy: AddressPolicy = {
  check: () => {},
  lookup: (name, _options, answer) => {
    const addresses = hosts[name]
    if (addresses === undefined) return answer(new HostUnavailableError(name, undefined), '')
    answer(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  },
}

const srv = (name: string, port: number, priority = 1, weight = 1): SrvRecord => ({ name, port, priority, weight })
const naptr = (service: string, replacement: string, order = 1): NaptrRecord => ({
  flags: 's',
  service,
  regexp: '',
  replacement,
  order,
  preference: 1,
})

const createResolver = (servers: Record<string, SrvRecord[]> = {}, pointers: Record<string, NaptrRecord[]> = {}) => {
  const queries: string[] = []
  const find = <T>(records: Record<string, T[]>, kind: string, name: string): Promise<T[]> => {
    queries.push(`${kind} ${name}`)
    const results = records[name]
    return results ? Promise.resolve(results) : Promise.reject(new Error('ENOTFOUND'))
  }
  const resolveTarget = createTargetResolver(policy, {
    resolveSrv: (name) => find(servers, 'SRV', name),
    resolveNaptr: (name) => find(pointers, 'NAPTR', name),
  })
  const resolve = (more: Partial<SipHost> = {}) =>
    resolveTarget({ host: 'sip.carrier.example', port: null, transport: 'udp', ...more })
  return { resolve, queries }
}

const address = (text: string, port: number) => ({ address: text, port })

describe('a SIP host', () => {
  test('that is an IP address needs no query', async () => {
    const { resolve, queries } = createResolver()
    expect(await resolve({ host: '203.0.113.9', transport: 'tls' })).toEqual({
      transport: 'tls',
      source: 'literal',
      addresses: [address('203.0.113.9', 5061)],
    })
    expect(queries).toEqual([])
  })

  test('with a port is looked up without SRV records', async () => {
    const { resolve, queries } = createResolver({ '_sip._udp.sip.carrier.example': [srv('a.carrier.example', 5080)] })
    expect(await resolve({ port: 5090 })).toMatchObject({
      source: 'address',
      addresses: [address('203.0.113.1', 5090)],
    })
    expect(queries).toEqual([])
  })

  test('without a port uses the SRV records of its protocol, by priority and weight', async () => {
    const records = [
      srv('b.carrier.example', 5082, 2),
      srv('a.carrier.example', 5080),
      srv('b.carrier.example', 5081, 1, 9),
    ]
    const { resolve, queries } = createResolver({ '_sip._tcp.sip.carrier.example': records })
    expect(await resolve({ transport: 'tcp' })).toEqual({
      transport: 'tcp',
      source: 'srv',
      addresses: [
        address('203.0.113.20', 5081),
        address('203.0.113.10', 5080),
        address('203.0.113.11', 5080),
        address('203.0.113.20', 5082),
      ],
    })
    expect(queries).toEqual(['SRV _sip._tcp.sip.carrier.example'])
  })

  test('without SRV records uses its own addresses and the default port', async () => {
    const { resolve, queries } = createResolver()
    expect(await resolve({ transport: 'tls' })).toMatchObject({
      source: 'address',
      addresses: [address('203.0.113.1', 5061)],
    })
    expect(queries).toEqual(['SRV _sips._tcp.sip.carrier.example'])
  })

  test('without a protocol uses the first supported NAPTR record', async () => {
    const pointers = {
      'sip.carrier.example': [
        naptr('SIP+D2S', '_sip._sctp.carrier.example', 0),
        naptr('SIP+D2U', '_sip._udp.carrier.example', 2),
        naptr('SIPS+D2T', '_sips._tcp.carrier.example', 1),
      ],
    }
    const { resolve, queries } = createResolver(
      { '_sips._tcp.carrier.example': [srv('b.carrier.example', 5062)] },
      pointers,
    )
    expect(await resolve({ transport: null })).toEqual({
      transport: 'tls',
      source: 'naptr',
      addresses: [address('203.0.113.20', 5062)],
    })
    expect(queries).toEqual(['NAPTR sip.carrier.example', 'SRV _sips._tcp.carrier.example'])
  })

  test('without a protocol and NAPTR records uses UDP', async () => {
    const { resolve, queries } = createResolver()
    expect(await resolve({ transport: null })).toMatchObject({ transport: 'udp', source: 'address' })
    expect(queries).toEqual(['NAPTR sip.carrier.example', 'SRV _sip._udp.sip.carrier.example'])
  })

  test('skips SRV records without a usable target, and fails if none is left', async () => {
    const usable = { '_sip._udp.sip.carrier.example': [srv('gone.example', 5060), srv('a.carrier.example', 5080, 2)] }
    expect((await createResolver(usable).resolve()).addresses).toEqual([
      address('203.0.113.10', 5080),
      address('203.0.113.11', 5080),
    ])
    const unusable = { '_sip._udp.sip.carrier.example': [srv('gone.example', 5060)] }
    await expect(createResolver(unusable).resolve()).rejects.toMatchObject({ code: 'not_resolved' })
    await expect(createResolver().resolve({ host: 'gone.example' })).rejects.toThrow(HostUnavailableError)
  })

  test('with SRV records that announce no service uses its own addresses', async () => {
    const none = { '_sip._udp.sip.carrier.example': [srv('', 0), srv('.', 5060), srv('a.carrier.example', 0)] }
    expect((await createResolver(none).resolve()).addresses).toEqual([address('203.0.113.1', 5060)])
  })
})

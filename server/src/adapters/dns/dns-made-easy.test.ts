import { startFakeDns } from '@patchbay/testkit/fakes/dns-made-easy'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, expect, test } from 'vitest'
import type { Dns } from './dns.ts'
import { createDnsMadeEasy } from './dns-made-easy.ts'

const dnsServer = await startFakeDns(['example.org', 'sip.example.org'])
afterAll(() => dnsServer.stop())

const createDns = (environment: NodeJS.ProcessEnv = {}, options?: { seconds: number }): Dns => {
  const { dns } = testConfiguration({ ...dnsServer.environment, ...environment })
  if (dns === null) throw new Error('It is not set.')
  return createDnsMadeEasy(dns, options)
}

test('creates records in the longest matching domain, finds them by name, and removes them', async () => {
  const dns = createDns()
  expect(await dns.findZone('acme.sip.example.org')).toBe('sip.example.org')
  expect(await dns.findZone('acme.voice.example.org')).toBe('example.org')
  expect(await dns.findZone('acme.evilexample.org')).toBeUndefined()
  const createdRecords = await dns.createRecords('sip.example.org', 'acme.sip.example.org', ['10.0.0.1', '10.0.0.2'])
  expect(createdRecords.map(({ type }) => type)).toEqual(['A', 'A', 'SRV'])
  expect(dnsServer.listRecords()).toEqual(['_sip._udp.acme SRV acme', 'acme A 10.0.0.1', 'acme A 10.0.0.2'])
  const ids = await dns.findRecordIds('sip.example.org', 'acme.sip.example.org')
  expect(ids).toEqual(createdRecords.map(({ id }) => id))
  expect(await dns.findRecordIds('sip.example.org', 'acm.sip.example.org')).toEqual([])
  await expect(dns.createRecords('sip.example.org', 'acme.sip.example.org', ['10.0.0.1'])).rejects.toThrow(
    /already exists/,
  )
  await dns.removeRecords('sip.example.org', ids)
  expect(dnsServer.listRecords()).toEqual([])
  expect(dnsServer.faults).toEqual([])
})

test('reports a request that is signed with the wrong secret', async () => {
  await expect(createDns({ DME_API_SECRET: 'wrong' }).findZone('a.example.org')).rejects.toThrow(
    'DNS Made Easy answered 403',
  )
  expect(dnsServer.faults).toEqual(['GET /dns/managed'])
})

test.each([
  ['slow', 'The DNS provider did not answer in time'],
  ['nonsense', /is not valid JSON/],
] as const)('reports a %s DNS provider', async (fault, message) => {
  dnsServer.at('domains', fault)
  await expect(createDns({}, { seconds: 0.2 }).findZone('a.example.org')).rejects.toThrow(message)
  dnsServer.at('domains')
})

import { startFakeDns } from '@patchbay/testkit/fake-dns-made-easy'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, expect, test } from 'vitest'
import type { Dns } from './dns.ts'
import { createDnsMadeEasy } from './dns-made-easy.ts'

const far = await startFakeDns(['example.org', 'sip.example.org'])
afterAll(() => far.stop())

const by = (more: NodeJS.ProcessEnv = {}, options?: { seconds: number }): Dns => {
  const { dns } = testConfiguration({ ...far.environment, ...more })
  if (dns === null) throw new Error('It is not set.')
  return createDnsMadeEasy(dns, options)
}

test('records are made in the longest domain that ends a realm, found by its name, and removed', async () => {
  const dns = by()
  expect(await dns.zoneOf('acme.sip.example.org')).toBe('sip.example.org')
  expect(await dns.zoneOf('acme.voice.example.org')).toBe('example.org')
  expect(await dns.zoneOf('acme.evilexample.org')).toBeUndefined()
  const made = await dns.make('sip.example.org', 'acme.sip.example.org', ['10.0.0.1', '10.0.0.2'])
  expect(made.map(({ type }) => type)).toEqual(['A', 'A', 'SRV'])
  expect(far.listRecords()).toEqual(['_sip._udp.acme SRV acme', 'acme A 10.0.0.1', 'acme A 10.0.0.2'])
  const ids = await dns.find('sip.example.org', 'acme.sip.example.org')
  expect(ids).toEqual(made.map(({ id }) => id))
  expect(await dns.find('sip.example.org', 'acm.sip.example.org')).toEqual([])
  await expect(dns.make('sip.example.org', 'acme.sip.example.org', ['10.0.0.1'])).rejects.toThrow(/already exists/)
  await dns.remove('sip.example.org', ids)
  expect(far.listRecords()).toEqual([])
  expect(far.faults).toEqual([])
})

test('what is not signed with the secret is refused, and told', async () => {
  await expect(by({ DME_API_SECRET: 'wrong' }).zoneOf('a.example.org')).rejects.toThrow('DNS Made Easy answered 403')
  expect(far.faults).toEqual(['GET /dns/managed'])
})

test.each([
  ['slow', 'The DNS provider did not answer in time'],
  ['nonsense', /is not valid JSON/],
] as const)('one that is %s is told of', async (fault, told) => {
  far.at('domains', fault)
  await expect(by({}, { seconds: 0.2 }).zoneOf('a.example.org')).rejects.toThrow(told)
  far.at('domains')
})

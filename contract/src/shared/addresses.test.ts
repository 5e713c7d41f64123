import { expect, test } from 'vitest'
import { classifyHost, isPort, parseSipProxy } from './addresses.ts'

const hosts = {
  ip: ['1.2.3.4', ' 10.0.0.1 ', '255.255.255.255'],
  fqdn: ['sip.example.com', 'a.b.c.d', '1sip.example.com', 'xn--a.example.com', '_sip._udp.example.com'],
  'fqdn-top-level': ['example.com', 'my-host.local'],
  invalid: [
    'localhost',
    '1example.com',
    '3com.net',
    '.example.com',
    'sip.example.com.',
    'a..b.c',
    '-a.b.c',
    '::1',
    '',
    '1.2',
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4.5',
    '10.0.0.1/24',
    'sip.example.com:5060',
    'sip:sip.example.com',
    'sip .example.com',
    'exa mple.com',
  ],
} as const

const kindsOfHosts = Object.entries(hosts)

test.each(kindsOfHosts)('COMMON-36 COMMON-58 classifies host names and IP addresses: %s', (kind, samples) => {
  for (const text of samples) expect([text, classifyHost(text)]).toEqual([text, kind])
})

test('COMMON-35 accepts ports from 0 to 65535', () => {
  for (const text of ['0', '5060', ' 5060 ', '65535']) expect([text, isPort(text)]).toEqual([text, true])
  for (const text of ['65536', '-1', '1.5', '5060x', '', '1e3']) expect([text, isPort(text)]).toEqual([text, false])
})

test('accepts a host with an optional port, or a SIP URI, as outbound SIP proxy', () => {
  const taken = [
    '10.1.1.1',
    'example.com',
    'proxy.example.com:5060',
    'sip:proxy.example.com',
    'sips:bob@proxy.example.com:5061',
    'sip:10.1.1.1:5060;transport=tcp',
  ]
  const refused = [
    'localhost',
    'proxy.example.com:0',
    'proxy.example.com:99999',
    'sip:localhost',
    'tcp:10.0.0.1',
    'sip:proxy.example.com:99999',
    'proxy.example.com:5060abc',
    '10.1.1.1:5060:7',
    'a b.example.com',
    '',
  ]
  for (const text of taken) expect([text, parseSipProxy(text) !== undefined]).toEqual([text, true])
  for (const text of refused) expect([text, parseSipProxy(text) !== undefined]).toEqual([text, false])
})

test('parses host, port, and transport of an outbound proxy', () => {
  expect(parseSipProxy('10.1.1.1')).toEqual({ host: '10.1.1.1', port: null, transport: null })
  expect(parseSipProxy('sip:proxy.example.com:5080;transport=TCP')).toEqual({
    host: 'proxy.example.com',
    port: 5080,
    transport: 'tcp',
  })
  expect(parseSipProxy('sip:example.com;lr;transport=tls;x=1')?.transport).toBe('tls')
  expect(parseSipProxy('sips:bob@example.com')?.transport).toBe('tls')
  expect(parseSipProxy('sip:example.com;transport=tcpx')?.transport).toBeNull()
})

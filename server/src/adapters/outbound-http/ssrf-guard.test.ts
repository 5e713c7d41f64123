import { describe, expect, test } from 'vitest'
import { isNetwork } from '../../lib/ip-networks.ts'
import { AddressNotAllowedError, HostUnavailableError, publicAddressPolicy } from './ssrf-guard.ts'

/** Returns the host as URL parsers write it. They rewrite octal, hexadecimal, and short forms of IPv4. */
const normalizeHost = (host: string): string => new URL(`http://${host}/`).hostname

const isAllowed = (host: string, allowed: readonly string[] = []): boolean => {
  try {
    publicAddressPolicy(allowed).check(normalizeHost(host))
    return true
  } catch (error) {
    if (error instanceof AddressNotAllowedError) return false
    throw error
  }
}

test.each([
  ['unspecified', '0.0.0.0'],
  ['private', '10.1.2.3'],
  ['private', '172.16.0.1'],
  ['private', '192.168.0.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['metadata service', '169.254.169.254'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['loopback in octal', '0177.0.0.1'],
  ['loopback in hexadecimal', '0x7f.0.0.1'],
  ['loopback as one number', '2130706433'],
  ['loopback as one hexadecimal number', '0x7f000001'],
  ['loopback in short form', '127.1'],
  ['loopback in full-width digits', '１２７.0.0.1'],
  ['loopback with a final dot', '127.0.0.1.'],
  ['IPv6 unspecified', '[::]'],
  ['IPv6 loopback', '[::1]'],
  ['IPv4-mapped', '[::ffff:10.0.0.1]'],
  ['IPv4-mapped in hexadecimal', '[::ffff:a9fe:a9fe]'],
  ['IPv4-compatible', '[::10.0.0.1]'],
  ['IPv4-translated', '[::ffff:0:10.0.0.1]'],
  ['6to4', '[2002:a00:1::1]'],
  ['NAT64', '[64:ff9b::10.0.0.1]'],
  ['local NAT64', '[64:ff9b:1::10.0.0.1]'],
  ['Teredo', '[2001:0:1::1]'],
  ['documentation', '[2001:db8::1]'],
  ['documentation', '[3fff::1]'],
  ['segment routing', '[5f00::1]'],
  ['unique local', '[fd00::1]'],
  ['link-local', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['IPv6 multicast', '[ff02::1]'],
  ['localhost', 'localhost'],
  ['a name below localhost', 'db.localhost'],
  ['localhost with a final dot', 'LOCALHOST.'],
])('does not allow %s: %s', (_, host) => {
  expect(isAllowed(host)).toBe(false)
})

test.each([
  '93.184.216.34',
  '1.1.1.1',
  '[2606:4700::1111]',
  '[::ffff:1.1.1.1]',
  'example.org',
  'localhost.example.org',
])('allows %s', (host) => {
  expect(isAllowed(host)).toBe(true)
})

test('does not allow a link-local address with a zone', () => {
  expect(() => publicAddressPolicy([]).check('fe80::1%eth0')).toThrow(AddressNotAllowedError)
})

test.each([
  ['10.0.0.1', '10.0.0.0/8'],
  ['[::ffff:10.0.0.1]', '10.0.0.0/8'],
  ['[fd00::1]', 'fd00::/8'],
  ['localhost', '127.0.0.0/8'],
])('allows %s if the operator allows %s', (host, network) => {
  expect(isAllowed(host, [network])).toBe(true)
  expect(isAllowed('192.168.0.1', [network])).toBe(false)
})

test.each([
  ['10.0.0.0/8', true],
  ['fd00::/8', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0.0', false],
  ['10.0.0/8', false],
  ['10.0.0.0/8/8', false],
  ['nonsense/8', false],
  ['10.0.0.0/', false],
])('%s is a network: %s', (text, expected) => {
  expect(isNetwork(text)).toBe(expected)
})

describe('lookup of a host name', () => {
  const lookUp = (hostname: string) => {
    const blocked: Error[] = []
    const policy = publicAddressPolicy([], (error) => blocked.push(error))
    return new Promise<{ error: Error | null; blocked: Error[] }>((resolve) => {
      policy.lookup(hostname, { all: true }, (error) => resolve({ error, blocked }))
    })
  }

  test('fails with the same error for an unknown host and a private address; only the log differs', async () => {
    // The hosts file resolves localhost to a loopback address.
    const [internal, unknown] = await Promise.all([lookUp('localhost'), lookUp('nobody.invalid')])
    for (const { error } of [internal, unknown]) expect(error).toBeInstanceOf(HostUnavailableError)
    expect(internal.error?.message.replace('localhost', 'X')).toBe(
      unknown.error?.message.replace('nobody.invalid', 'X'),
    )
    expect(internal.error).toMatchObject({
      cause: { message: expect.stringMatching(/^localhost resolves to .*PRIVATE_NETWORKS does not allow$/) as string },
    })
    expect(internal.blocked).toEqual([internal.error])
    expect(unknown.blocked).toEqual([])
  })
})

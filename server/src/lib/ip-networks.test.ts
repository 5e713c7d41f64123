import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import { expect, test } from 'vitest'
import { isInNetworks, parseAddressOrNetwork } from './ip-networks.ts'

const contains = (entry: string, address: string): boolean => {
  const network = parseAddressOrNetwork(entry)
  const parsed = parseIpAddress(address)
  if (network === undefined || parsed === undefined) throw new Error(`${entry} or ${address} cannot be parsed`)
  return isInNetworks(parsed, [network])
}

test.each([
  ['192.0.2.7', '192.0.2.7', '192.0.2.8'],
  ['10.0.0.0/8', '10.255.1.2', '11.0.0.0'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:11.1.2.3'],
  ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.8'],
  ['::ffff:10.0.0.0/104', '10.1.2.3', '11.1.2.3'],
  ['fd00::1', 'fd00::1', 'fd00::2'],
  ['fd00::/8', 'fd12:3456::1', 'fe80::1'],
  ['::/1', '::1', '127.0.0.1'],
])('%s contains %s and not %s', (entry, inside, outside) => {
  expect(contains(entry, inside)).toBe(true)
  expect(contains(entry, outside)).toBe(false)
})

test.each([
  '',
  'localhost',
  '10.0.0',
  '010.0.0.1',
  '10.0.0.256',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '0.0.0.0/0',
  '::/0',
  '::ffff:0.0.0.0/96',
  '::ffff:0.0.0.0/95',
  '[::1]',
  'fe80::1%eth0',
  '10.0.0.1:9060',
  'fd00::/129',
  '10.0.0.0/255.0.0.0',
])('%j is neither an address nor a network', (text) => {
  expect(parseAddressOrNetwork(text)).toBeUndefined()
})

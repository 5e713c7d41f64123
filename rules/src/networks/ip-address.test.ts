import { expect, test } from 'vitest'
import { parseIpAddress } from './ip-address.ts'

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::ffff:a00:1', '10.0.0.1'],
])('parses %s as %s', (text, address) => {
  expect(parseIpAddress(text)?.toString()).toBe(address)
})

test.each(['', '10.1', '10.0.1', '167772161', '010.0.0.1', '0x0a.0.0.1', '256.0.0.1', '10.0.0.1/8', '1::2::3', 'a.b'])(
  'rejects %j, which is not an address or has an ambiguous notation',
  (text) => {
    expect(parseIpAddress(text)).toBeUndefined()
  },
)

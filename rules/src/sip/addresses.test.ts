import { expect, test } from 'vitest'
import { isPrivateAddress, isPublicAddress } from './addresses.ts'

test.each([
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '127.0.0.1', '169.254.1.1']],
  ['private', ['::1', 'fc00::1', 'fd12::1', 'fe80::1', 'febf::1', '::ffff:10.0.0.1']],
  ['public', ['172.15.0.1', '172.32.0.1', '192.167.1.1', '100.128.0.1', '203.0.113.7', '2001:db8::1']],
  ['neither', ['0.0.0.0', '::', '', 'sip.example.com', '10.0.0', 'fd12', '256.0.0.1']],
])('classifies as %s: %s', (kind, addresses) => {
  for (const address of addresses)
    expect([address, isPrivateAddress(address), isPublicAddress(address)]).toEqual([
      address,
      kind === 'private',
      kind === 'public',
    ])
})

import { expect, test } from 'vitest'
import { validateAddress } from './sip-address.ts'

const valid = { ipv4: '203.0.113.7', port: '5060', tls_port: '', wss_port: '' }
const portError = 'Enter a port from 1 to 65535'

test.each([
  [{}, {}],
  [{ ipv4: 'sbc.example.org', tls_port: '5061', wss_port: '8443' }, {}],
  [{ port: '' }, {}],
  [{ ipv4: '' }, { ipv4: 'Enter an IPv4 address or a host name' }],
  [{ ipv4: '10.0.0.0/8' }, { ipv4: 'Enter an IPv4 address or a host name' }],
  [
    { port: '0', tls_port: '70000', wss_port: 'x' },
    { port: portError, tls_port: portError, wss_port: portError },
  ],
])('%j of a SIP address: %j', (changes, errors) => {
  expect(validateAddress({ ...valid, ...changes })).toEqual(errors)
})

import { expect, test } from 'vitest'
import { extractSubdomain, validateSubdomain } from './subdomains.ts'

test.each(['', 'a', 'ab', '--'])('SUBDOMAIN-04 %j is too short', (name) => {
  expect(validateSubdomain(name)).toBe('must be at least 3 characters long')
})

test.each([
  ['a.b', 'can contain only letters from a to z, digits, and hyphens'],
  ['a b', 'can contain only letters from a to z, digits, and hyphens'],
  ['müller', 'can contain only letters from a to z, digits, and hyphens'],
  ['a_b', 'can contain only letters from a to z, digits, and hyphens'],
  ['abc\n', 'can contain only letters from a to z, digits, and hyphens'],
  ['-ab', 'must not start or end with a hyphen'],
  ['ab-', 'must not start or end with a hyphen'],
  ['a'.repeat(64), 'must be at most 63 characters long'],
  ['xn--mller-kva', 'must not have hyphens as its third and fourth characters'],
])('SUBDOMAIN-05 rejects %j as a subdomain', (name, fault) => {
  expect(validateSubdomain(name)).toBe(fault)
})

test.each(['abc', 'a-b', '123', 'ACME', 'a'.repeat(63), 'a-b--c'])(
  'SUBDOMAIN-04 SUBDOMAIN-05 accepts %j as a subdomain',
  (name) => {
    expect(validateSubdomain(name)).toBeUndefined()
  },
)

test('extracts the part of a realm before the root domain', () => {
  expect(extractSubdomain('acme.sip.example.com', 'sip.example.com')).toBe('acme')
  expect(extractSubdomain('Acme.SIP.example.com', 'sip.Example.com')).toBe('Acme')
  expect(extractSubdomain('a.b.sip.example.com', 'sip.example.com')).toBe('a.b')
  expect(extractSubdomain('sip.example.com', 'sip.example.com')).toBeUndefined()
  expect(extractSubdomain('acme.evilsip.example.com', 'sip.example.com')).toBeUndefined()
})

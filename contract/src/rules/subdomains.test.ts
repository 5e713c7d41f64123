import { expect, test } from 'vitest'
import { subdomainFault, subdomainOf } from './subdomains.ts'

test.each(['', 'a', 'ab', '--'])('SUBDOMAIN-04 %j is too short', (name) => {
  expect(subdomainFault(name)).toBe('must be at least 3 characters long')
})

test.each([
  ['a.b', 'may have letters from a to z, digits and hyphens only'],
  ['a b', 'may have letters from a to z, digits and hyphens only'],
  ['müller', 'may have letters from a to z, digits and hyphens only'],
  ['a_b', 'may have letters from a to z, digits and hyphens only'],
  ['abc\n', 'may have letters from a to z, digits and hyphens only'],
  ['-ab', 'must not begin or end with a hyphen'],
  ['ab-', 'must not begin or end with a hyphen'],
  ['a'.repeat(64), 'must be at most 63 characters long'],
  ['xn--mller-kva', 'must not have hyphens as its third and fourth characters'],
])('SUBDOMAIN-05 %j is no name of a subdomain', (name, fault) => {
  expect(subdomainFault(name)).toBe(fault)
})

test.each(['abc', 'a-b', '123', 'ACME', 'a'.repeat(63), 'a-b--c'])('SUBDOMAIN-04 SUBDOMAIN-05 %j is one', (name) => {
  expect(subdomainFault(name)).toBeUndefined()
})

test('what stands before a root domain', () => {
  expect(subdomainOf('acme.sip.example.com', 'sip.example.com')).toBe('acme')
  expect(subdomainOf('Acme.SIP.example.com', 'sip.Example.com')).toBe('Acme')
  expect(subdomainOf('a.b.sip.example.com', 'sip.example.com')).toBe('a.b')
  expect(subdomainOf('sip.example.com', 'sip.example.com')).toBeUndefined()
  expect(subdomainOf('acme.evilsip.example.com', 'sip.example.com')).toBeUndefined()
})

import { expect, test } from 'vitest'
import { subdomainFault } from './subdomains.ts'

const short = 'It must have at least 3 characters.'
const letters = 'It may have letters from a to z, digits and hyphens.'
const ends = 'It must begin and end with a letter or a digit.'

test.each([
  ['SUBDOMAIN-04', '', short],
  ['SUBDOMAIN-04', 'ab', short],
  ['SUBDOMAIN-04', 'abc', undefined],
  ['SUBDOMAIN-05', 'my.name', letters],
  ['SUBDOMAIN-05', 'my name', letters],
  ['SUBDOMAIN-05', 'naïve', letters],
  ['SUBDOMAIN-05', 'a_b', letters],
  ['SUBDOMAIN-05', '-abc', ends],
  ['SUBDOMAIN-05', 'abc-', ends],
  ['SUBDOMAIN-05', 'a'.repeat(63), undefined],
  ['SUBDOMAIN-05', 'a'.repeat(64), 'It may have 63 characters at most.'],
  ['SUBDOMAIN-05', 'Acme-2', undefined],
])('%s of the subdomain %j is said %j', (_, name, fault) => {
  expect(subdomainFault(name)).toBe(fault)
})

import { expect, test } from 'vitest'
import { isReservedSubdomain } from './reserved-subdomains.ts'

test.each(['www', 'ADMIN', 'api', 'mail', 'www2', 'ns-1', 'sip'])('reserves %s', (name) => {
  expect(isReservedSubdomain(name)).toBe(true)
})

test.each(['acme', 'wwworld', 'my-api', '123', 'mailbox'])('does not reserve %s', (name) => {
  expect(isReservedSubdomain(name)).toBe(false)
})

test('reserves the names that the operator adds', () => {
  expect(isReservedSubdomain('Partner', ['partner'])).toBe(true)
})

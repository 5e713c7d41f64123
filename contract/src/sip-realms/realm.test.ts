import { expect, test } from 'vitest'
import { isSipRealm } from './realm.ts'

test.each([
  ['sip.example.com', true],
  ['Sip.Example.com', true],
  ['localhost', true],
  ['a b.com', false],
  ['-a.com', false],
  ['a..b', false],
  ['', false],
  [`${'a'.repeat(63)}.${'b'.repeat(63)}.com`, true],
  [`${'a'.repeat(64)}.com`, false],
])('%j is a SIP realm: %s', (realm, is) => {
  expect(isSipRealm(realm)).toBe(is)
})

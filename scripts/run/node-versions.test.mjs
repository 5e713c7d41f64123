import { expect, test } from 'vitest'
import { canRunOn, describeNodeRange, isAtLeast, isSafeNode, parseNodeRange } from './node-versions.mjs'

const range = '^24.22.1 || >=26.12.1'

test.each([
  ['24.22.1', true],
  ['24.22.0', false],
  ['24.21.9', false],
  ['24.100.0', true],
  ['24.9.9', false],
  ['23.30.0', false],
  ['25.30.0', false],
  ['26.12.0', false],
  ['26.12.1', true],
  ['26.100.0', true],
  ['27.0.0', true],
  ['100.0.0', true],
  ['18.20.8', false],
])('%s is in the range: %s', (version, isSafe) => {
  expect(isSafeNode(version, range)).toBe(isSafe)
})

test('the program runs on unsafe versions of the oldest line and later ones', () => {
  expect(['24.0.0', '24.22.0', '25.1.0', '26.0.0', '27.0.0'].every((version) => canRunOn(version, range))).toBe(true)
  expect(['18.20.8', '22.23.4', '23.9.0'].some((version) => canRunOn(version, range))).toBe(false)
})

test('compares versions by number', () => {
  expect(isAtLeast('24.9.0', '24.10.0')).toBe(false)
  expect(isAtLeast('24.10.0', '24.9.5')).toBe(true)
  expect(isAtLeast('24.10.0', '24.10.0')).toBe(true)
})

test('describes the range in words', () => {
  expect(describeNodeRange(range)).toBe('24.22.1 or a later 24, or 26.12.1 or later')
})

test.each(['>=24', '24.1.0', '~24.1.0', '^24.1.0 || lts', ''])('rejects the range "%s"', (invalid) => {
  expect(() => parseNodeRange(invalid)).toThrow('must be ^ or >= with a version of Node')
})

import { expect, test } from 'vitest'
import { parseConfiguration } from './configuration.ts'

test('COMMON-05 without an API base the console uses the same host with the path /api/v1', () => {
  const without = [undefined, {}, { apiBase: '' }, { apiBase: 7 }, 'nonsense', null]
  for (const value of without)
    expect(parseConfiguration(value, 'https://pbx.example:8443').apiBase).toBe('https://pbx.example:8443/api/v1')
})

test('COMMON-07 an AWS region is read; without one there is none', () => {
  expect(parseConfiguration({ awsRegion: 'us-east-1' }, 'https://x').awsRegion).toBe('us-east-1')
  for (const awsRegion of [undefined, 7, null])
    expect(parseConfiguration({ awsRegion }, 'https://x').awsRegion).toBe('')
})

test('an API base is taken without its last slash; without a list there are no extensions and nothing is switched on', () => {
  const { apiBase, extensions, switches } = parseConfiguration({ apiBase: 'https://api.example/v1/' }, 'https://x')
  expect(apiBase).toBe('https://api.example/v1')
  expect([extensions.size, switches.size]).toEqual([0, 0])
  expect(parseConfiguration({ extensions: ['a'] }, 'https://x').extensions.has('a')).toBe(true)
  expect(parseConfiguration({ switches: ['account-limits'] }, 'https://x').switches.has('account-limits')).toBe(true)
})

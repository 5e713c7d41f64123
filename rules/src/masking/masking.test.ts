import { expect, test } from 'vitest'
import {
  maskAlertTarget,
  maskClientPassword,
  maskCredentialsInText,
  maskKey,
  maskPassword,
  maskToken,
  maskUrlCredentials,
} from './masking.ts'

test.each([
  ['https://user:pass@example.com/hook?a=b', 'https://********@example.com/hook?a=b'],
  ['https://token@example.com/', 'https://********@example.com/'],
  ['https://user:p@ss@example.com/', 'https://********@example.com/'],
  ['https:user:pass@example.com/', 'https://********@example.com/'],
  [String.raw`https:\\user:pass@example.com/`, 'https://********@example.com/'],
  ['wss://user:pass@example.com', 'wss://********@example.com/'],
  ['//user:pass@example.com', '//********@example.com'],
])('masks the credentials of %s', (url, masked) => {
  expect(maskUrlCredentials(url)).toBe(masked)
})

test.each(['https://example.com/a@b', 'https://example.com', 'example.com', 'sip:1234@example.com', ''])(
  'leaves %j as it is',
  (url) => {
    expect(maskUrlCredentials(url)).toBe(url)
  },
)

test('masks every URL in a text', () => {
  const text = 'POST https://a:b@one.example/x failed, retrying "http://c@two.example" (me@example.com)'
  const masked = 'POST https://********@one.example/x failed, retrying "http://********@two.example" (me@example.com)'
  expect(maskCredentialsInText(text)).toBe(masked)
})

test.each([
  ['https://hooks.chat.example/services/T0/B0/secret?x=y', 'https://hooks.chat.example/********'],
  ['https://user:pass@hooks.chat.example:8443/x', 'https://hooks.chat.example:8443/********'],
  ['operator@example.com', 'o********@example.com'],
  ['nonsense', '********'],
])('masks the alert destination %s', (target, masked) => {
  expect(maskAlertTarget(target)).toBe(masked)
})

test('COMMON-38 COMMON-39 masks a token except for its last four characters, and a key except for its first six', () => {
  expect(maskToken('1f6e4d2a-90ab-4cde-8f01-23456789abcd')).toBe('********-****-****-****-********abcd')
  expect(maskToken('abc')).toBe('***')
  expect(maskKey('sk-1234567')).toBe('sk-123XXXX')
  expect(maskKey('abcdef')).toBe('XXXXXX')
})

test('COMMON-39 a masked password shows none of its characters, and not its length', () => {
  expect(['secret-of-ours', 'x', ''].map(maskPassword)).toEqual(['XXXXXXXX', 'XXXXXXXX', ''])
})

test.each([
  ['sdf12412', 'sXXXXXXX'],
  ['ab', 'aX'],
  ['a', 'X'],
  ['', ''],
  ['😀b', '😀X'],
])('masks the password %j of a SIP client as %j', (password, masked) => {
  expect(maskClientPassword(password)).toBe(masked)
})

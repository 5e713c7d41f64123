import { expect, test } from 'vitest'
import { maskAlertTarget, maskCredentialsInText, maskUrlCredentials } from './masking.ts'

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

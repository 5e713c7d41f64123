import { expect, test } from 'vitest'
import { actorText } from './actor-text.ts'
import { fieldText, kindText, valueText } from './labels.ts'

test.each([
  [{ actor: 'user', actor_name: 'ada' }, 'ada'],
  [{ actor: 'user', actor_name: null }, 'A user'],
  [{ actor: 'api_key', actor_name: '****-***89ab' }, 'API key 89ab'],
  [{ actor: 'api_key', actor_name: 'Initial setup' }, 'API key Initial setup'],
  [{ actor: 'api_key', actor_name: null }, 'API key'],
  [{ actor: 'platform', actor_name: null }, 'Platform component'],
  [{ actor: 'patchbay', actor_name: null }, 'Patchbay'],
  [{ actor: 'nobody', actor_name: null }, 'Unauthenticated caller'],
] as const)('who did it: %j', (doer, text) => {
  expect(actorText(doer)).toBe(text)
})

test('kinds, also those that only the server knows, and fields', () => {
  expect(['api_key', 'lcr_route', 'moon_phase'].map(kindText)).toEqual(['API key', 'Outbound route', 'Moon phase'])
  expect(['require_digit', 'account_sid'].map(fieldText)).toEqual(['Require digit', 'Account SID'])
})

test.each([
  [null, undefined],
  ['', undefined],
  ['text', 'text'],
  [0, '0'],
  [{ url: 'https://example.org' }, '{"url":"https://example.org"}'],
])('a value: %j', (value, text) => {
  expect(valueText(value)).toBe(text)
})

test('a role in words, and an unknown one as stored', () => {
  expect(['admin', 'service_provider', 'account', 'owner'].map((role) => valueText(role, 'role'))).toEqual([
    'administrator',
    'provider user',
    'account user',
    'owner',
  ])
  expect(valueText('admin', 'name')).toBe('admin')
})

import { expect, test } from 'vitest'
import { createTokens } from './tokens.ts'

const claims = {
  user_sid: '11111111-1111-4111-8111-111111111111',
  name: 'somebody',
  scope: 'admin',
  permissions: [],
  is_view_only: false,
} as const

const secret = 'a secret of these tests'

test('a token that was verified before still runs out, to the second', async () => {
  let now = Date.parse('2026-11-21T10:00:00Z')
  const tokens = createTokens(secret, 60, () => now)
  const { token, expiresAt } = await tokens.issue({ ...claims, permissions: [] })
  expect(expiresAt).toBe(now + 60_000)
  expect(await tokens.verify(token)).toMatchObject({ user_sid: claims.user_sid })
  now += 59_000
  expect(await tokens.verify(token)).toMatchObject({ user_sid: claims.user_sid })
  now += 1_000
  expect(await tokens.verify(token)).toBe('expired')
  expect(await createTokens(secret, 60, () => now).verify(token)).toBe('expired')
})

test('a token that only looks like a known one is none', async () => {
  const tokens = createTokens(secret, 60)
  const { token } = await tokens.issue({ ...claims, permissions: [] })
  await tokens.verify(token)
  const [head, body, signature = ''] = token.split('.')
  const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  expect(await tokens.verify([head, body, other].join('.'))).toBeUndefined()
  const { token: ofAnother } = await createTokens('another secret, as long', 60).issue({ ...claims, permissions: [] })
  expect(await tokens.verify(ofAnother)).toBeUndefined()
})

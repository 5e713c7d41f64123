import { expect, test } from 'vitest'
import { createTokens, type Tokens } from './tokens.ts'

const claims = {
  user_sid: '11111111-1111-4111-8111-111111111111',
  name: 'somebody',
  scope: 'admin',
  permissions: [],
  is_view_only: false,
} as const

const secret = 'a secret of these tests'
const minute = { sessionSeconds: 60, longestSessionSeconds: 150 }

/** Issues a token, or throws if the session is over. */
const issueToken = async (tokens: Tokens, signedInAt?: number) => {
  const issuedToken = await tokens.issue({ ...claims, permissions: [] }, signedInAt)
  if (issuedToken === undefined) throw new Error('the session is over')
  return issuedToken
}

test('a cached token expires, to the second', async () => {
  let now = Date.parse('2026-11-21T10:00:00Z')
  const tokens = createTokens(secret, minute, () => now)
  const { token, expiresAt } = await issueToken(tokens)
  expect(expiresAt).toBe(now + 60_000)
  expect(await tokens.verify(token)).toMatchObject({ claims: { user_sid: claims.user_sid } })
  now += 59_000
  expect(await tokens.verify(token)).toMatchObject({ claims: { user_sid: claims.user_sid } })
  now += 1_000
  expect(await tokens.verify(token)).toBe('expired')
  expect(await createTokens(secret, minute, () => now).verify(token)).toBe('expired')
})

test('rejects a token that differs only in its signature', async () => {
  const tokens = createTokens(secret, minute)
  const { token } = await issueToken(tokens)
  await tokens.verify(token)
  const [head, body, signature = ''] = token.split('.')
  const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  expect(await tokens.verify([head, body, other].join('.'))).toBeUndefined()
  const { token: foreignToken } = await issueToken(createTokens('another secret, as long', minute))
  expect(await tokens.verify(foreignToken)).toBeUndefined()
})

test('a renewed session ends at its maximum duration', async () => {
  const sessionStart = Date.parse('2026-11-21T10:00:00Z')
  let now = sessionStart
  const tokens = createTokens(secret, minute, () => now)
  let { token, expiresAt } = await issueToken(tokens)
  const signedInAt = async () => {
    const verified = await tokens.verify(token)
    return typeof verified === 'object' ? verified.signedInAt : Number.NaN
  }
  const ends: number[] = []
  for (const seconds of [50, 50]) {
    now += seconds * 1000
    ;({ token, expiresAt } = await issueToken(tokens, await signedInAt()))
    ends.push(expiresAt - sessionStart)
  }
  // The second token would otherwise outlive the session.
  expect(ends).toEqual([110_000, 150_000])
  now += 50_000
  expect(await tokens.verify(token)).toBe('expired')
  expect(await tokens.issue({ ...claims, permissions: [] }, sessionStart / 1000)).toBeUndefined()
})

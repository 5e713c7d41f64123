import { expect, test } from 'vitest'
import { rewriteUrl } from './rewrite-url.ts'

test.each([
  ['/api/v1/Accounts', '/v1/Accounts'],
  ['/api/v1//Accounts?page=1', '/v1//Accounts?page=1'],
  ['//API//V1/Accounts', '/V1/Accounts'],
  ['/api/v1', '/v1'],
  ['/api/v1?filter=/api/v1/', '/v1?filter=/api/v1/'],
  ['/stripe/webhook', '/v1/stripe/webhook'],
  ['/stripe/webhook/', '/v1/stripe/webhook'],
])('maps %s to %s', (url, route) => {
  expect(rewriteUrl(url)).toBe(route)
})

test.each(['/v1/Accounts', '/api/v1x', '/api/v10/Accounts', '/api/docs', '/api', '/x/api/v1/Accounts', '/', '', '*'])(
  'leaves %s unchanged',
  (url) => {
    expect(rewriteUrl(url)).toBe(url)
  },
)

test('maps once, so that a repeated prefix is an unknown path', () => {
  expect(rewriteUrl('/api/v1/api/v1/Accounts')).toBe('/v1/api/v1/Accounts')
})

test('maps a URL of repeated slashes in time that grows with its length', () => {
  const url = `/${'/'.repeat(100_000)}api${'/'.repeat(100_000)}x`
  const before = performance.now()
  expect(rewriteUrl(url)).toBe(url)
  expect(performance.now() - before).toBeLessThan(1000)
})

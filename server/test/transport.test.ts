import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi({ DISABLE_RATE_LIMITS: '0', RATE_LIMIT_MAX_PER_WINDOW: '5', JAMBONES_TRUST_PROXY: '1' })
})
afterAll(() => api.close())

const ask = (url: string, headers: Record<string, string>) => api.app.inject({ url, headers })

describe('the rate limit', () => {
  test('counts by caller: one that asks too much is refused with JSON, others are not', async () => {
    const noisy = { authorization: 'Bearer noisy', origin: 'https://elsewhere.example' }
    const statuses = []
    for (let count = 0; count < 6; count += 1) statuses.push((await ask('/v1/Accounts', noisy)).statusCode)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await ask('/v1/Accounts', noisy)
    expect(refused.json()).toMatchObject({ msg: 'Too many requests, please try again later.' })
    expect(refused.headers['retry-after']).toBeDefined()
    // Without it a browser on another origin would see a network failure.
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    expect((await ask('/v1/Accounts', { authorization: 'Bearer calm' })).statusCode).toBe(401)
  })
})

describe('headers', () => {
  test('behind TLS the browser is told to stay there; without, it is not', async () => {
    const secure = await ask('/health', { 'x-forwarded-proto': 'https' })
    expect(secure.headers['strict-transport-security']).toMatch(/max-age=\d+/)
    expect((await ask('/health', {})).headers['strict-transport-security']).toBeUndefined()
  })

  test('answers of the API are not kept anywhere', async () => {
    const answer = await ask('/api/v1/Accounts', { authorization: 'Bearer reader' })
    expect(answer.headers['cache-control']).toContain('no-store')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })
})

import { createHash, randomUUID } from 'node:crypto'
import { connectRedis, type RedisConnection } from '@patchbay/server/adapters/redis'
import { createRedisTtsCache } from '@patchbay/server/adapters/tts-cache/redis-tts-cache'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { createTestApi } from '@patchbay/testkit/test-api'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** Tests the prompt cache of jambonz's components, with Debian's redis-server and keys in their format. */

let server: RedisServer
/** Connection that acts as another component of jambonz. */
let redis: Redis
let connection: RedisConnection
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  connection = await connectRedis({ at: { host: '127.0.0.1', port: server.port } }, Fastify().log)
})
beforeEach(() => redis.flushall())
afterAll(async () => {
  await connection.close()
  redis.disconnect()
  await server.stop()
})

const prompt = (of: string | null, text: string) => {
  const hash = createHash('sha1').update(text).digest('hex')
  return `tts:${of === null ? '' : `${of}:`}${hash}`
}
const storePrompts = (account_sid: string | null, prompts: readonly string[]) =>
  Promise.all(
    prompts.map((text) => redis.set(prompt(account_sid, text), JSON.stringify({ audioContent: 'AAAA' }), 'EX', 14_400)),
  )
const createPrompts = (count: number) => Array.from({ length: count }, (_, number) => `prompt ${number}`)

describe('TTS cache', () => {
  const [own, other] = [randomUUID(), randomUUID()]

  test('API-026 API-027 API-028 SETTINGS-15 the size covers the account or the installation, and clearing removes only those keys', async () => {
    const api = await createTestApi(server.settings)
    const provider = await api.provider()
    const [account, beside] = [await api.account(provider), await api.account(provider)]
    const { caller } = await api.apiKey({ account_sid: account })
    await storePrompts(account, createPrompts(3))
    await storePrompts(beside, createPrompts(2))
    await storePrompts(null, createPrompts(1))
    await redis.set('ttsx', 'no prompt')
    const size = async (path: string) => (await api.admin.get(path)).body
    expect(await size(`/Accounts/${account}/TtsCache`)).toEqual({ size: 3 })
    expect((await caller.get(`/Accounts/${account}/TtsCache`)).body).toEqual({ size: 3 })
    expect(await size('/TtsCache')).toEqual({ size: 6 })
    expect(await caller.delete(`/Accounts/${account}/TtsCache`)).toMatchObject({ status: 204, text: '' })
    expect((await caller.delete(`/Accounts/${beside}/TtsCache`)).status).toBe(403)
    expect([await size(`/Accounts/${account}/TtsCache`), await size('/TtsCache')]).toEqual([{ size: 0 }, { size: 3 }])
    expect((await api.admin.delete('/TtsCache')).status).toBe(204)
    expect(await size('/TtsCache')).toEqual({ size: 0 })
    expect(await redis.keys('tts*')).toEqual(['ttsx'])
    await api.close()
  })

  test('many prompts are counted and removed in batches, each exactly once', async () => {
    await storePrompts(own, createPrompts(2_500))
    await storePrompts(other, createPrompts(10))
    const cache = createRedisTtsCache(connection, { batch: 10, maxBatches: 10_000, now: Date.now })
    expect([await cache.size(own), await cache.size(null)]).toEqual([2_500, 2_510])
    expect(await cache.clear(own)).toBe(2_500)
    expect([await cache.size(own), await cache.size(other)]).toEqual([0, 10])
  })

  test('a scan that takes too long ends with 503 and never returns a partial result', async () => {
    await storePrompts(own, createPrompts(500))
    const few = createRedisTtsCache(connection, { batch: 10, maxBatches: 3, now: Date.now })
    await expect(few.size(own)).rejects.toMatchObject({ status: 503 })
    let clock = 0
    const slow = createRedisTtsCache(connection, { batch: 10, maxBatches: 10_000, now: () => (clock += 6_000) })
    await expect(slow.size(own)).rejects.toMatchObject({ status: 503 })
  })

  test('limits the running and waiting requests of one account without affecting others', async () => {
    await storePrompts(own, createPrompts(200))
    const cache = createRedisTtsCache(connection, { batch: 1, maxBatches: 10_000, now: Date.now })
    const results = await Promise.allSettled([
      ...createPrompts(20).map(() => cache.size(own)),
      cache.size(randomUUID()),
    ])
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(16)
    expect(results.at(-1)).toEqual({ status: 'fulfilled', value: 0 })
  })
})

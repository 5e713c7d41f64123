import { connectRedis, type RedisConnection } from '@patchbay/server/adapters/redis'
import { createRedisTtsCache } from '@patchbay/server/adapters/tts-cache/redis-tts-cache'
import { type RedisServer, startRedis } from '@patchbay/testkit/redis'
import { createTestApi } from '@patchbay/testkit/test-api'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** The prompts that the platform's components keep, against Debian's redis-server with keys as they write them. */

let server: RedisServer
/** what a component of the platform sees and does */
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
const keep = (of: string | null, texts: readonly string[]) =>
  Promise.all(texts.map((text) => redis.set(prompt(of, text), JSON.stringify({ audioContent: 'AAAA' }), 'EX', 14_400)))
const texts = (count: number) => Array.from({ length: count }, (_, number) => `prompt ${number}`)

describe('TTS cache', () => {
  const [mine, other] = [randomUUID(), randomUUID()]

  test('API-026 API-027 API-028 SETTINGS-15 the size is that of the account, or of all; emptying takes those and no other key', async () => {
    const api = await createTestApi(server.settings)
    const provider = await api.provider()
    const [account, beside] = [await api.account(provider), await api.account(provider)]
    const { caller } = await api.apiKey({ account_sid: account })
    await keep(account, texts(3))
    await keep(beside, texts(2))
    await keep(null, texts(1))
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

  test('many are counted and removed a batch at a time, each once', async () => {
    await keep(mine, texts(2_500))
    await keep(other, texts(10))
    const cache = createRedisTtsCache(connection, { batch: 10, maxBatches: 10_000, now: Date.now })
    expect([await cache.size(mine), await cache.size(null)]).toEqual([2_500, 2_510])
    expect(await cache.clear(mine)).toBe(2_500)
    expect([await cache.size(mine), await cache.size(other)]).toEqual([0, 10])
  })

  test('a scan that would go on for too long is given up with 503, never answered in part', async () => {
    await keep(mine, texts(500))
    const few = createRedisTtsCache(connection, { batch: 10, maxBatches: 3, now: Date.now })
    await expect(few.size(mine)).rejects.toMatchObject({ status: 503 })
    let clock = 0
    const slow = createRedisTtsCache(connection, { batch: 10, maxBatches: 10_000, now: () => (clock += 6_000) })
    await expect(slow.size(mine)).rejects.toMatchObject({ status: 503 })
  })

  test('of one who asks again and again few are at work or waiting; others go on', async () => {
    await keep(mine, texts(200))
    const cache = createRedisTtsCache(connection, { batch: 1, maxBatches: 10_000, now: Date.now })
    const asked = await Promise.allSettled([...texts(20).map(() => cache.size(mine)), cache.size(randomUUID())])
    const refused = asked.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(16)
    expect(asked.at(-1)).toEqual({ status: 'fulfilled', value: 0 })
  })
})

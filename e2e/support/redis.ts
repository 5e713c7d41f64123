import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { test as base } from './test.ts'

/** Tests with a real Redis, which the server of the worker uses. */
export const test = base.extend<object, { redis: RedisServer }>({
  redis: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const redis = await startRedis()
      await use(redis)
      await redis.stop()
    },
    { scope: 'worker' },
  ],
  settings: [async ({ redis }, use) => use(redis.settings), { scope: 'worker' }],
})

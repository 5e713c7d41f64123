import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { test as base } from './test.ts'

/** Tests with a real Redis, which the server of the worker uses, and a fake feature server. */
export const test = base.extend<object, { redis: RedisServer; featureServer: FeatureServer }>({
  redis: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const redis = await startRedis()
      await use(redis)
      await redis.stop()
    },
    { scope: 'worker' },
  ],
  featureServer: [
    async ({ redis }, use) => {
      const featureServer = await startFeatureServer(redis.port)
      await featureServer.join()
      await use(featureServer)
      await featureServer.close()
    },
    { scope: 'worker' },
  ],
  settings: [async ({ redis }, use) => use(redis.settings), { scope: 'worker' }],
})

import { expect, test, vi } from 'vitest'
import { createReadiness, type ReadinessOptions } from './readiness.ts'

const logger = () => ({
  info: vi.fn<ReadinessOptions['logger']['info']>(),
  warn: vi.fn<ReadinessOptions['logger']['warn']>(),
})

type ReadMigrations = ReadinessOptions['readMigrations']

const create = (options: Partial<ReadinessOptions> = {}) =>
  createReadiness({
    requiredMigrations: ['1', '2'],
    readMigrations: () => Promise.resolve(['1', '2']),
    readSecretFits: () => Promise.resolve(true),
    logger: logger(),
    ...options,
  })

test('a thousand probes run one query, and so do those of the next second', async () => {
  let now = 0
  const readMigrations = vi.fn<ReadMigrations>(() => Promise.resolve(['1', '2']))
  const readiness = create({ readMigrations, now: () => now })
  const probe = () => Promise.all(Array.from({ length: 1000 }, () => readiness.check()))
  expect((await probe()).flat()).toEqual([])
  now = 999
  await probe()
  expect(readMigrations).toHaveBeenCalledTimes(1)
  now = 1000
  await probe()
  expect(readMigrations).toHaveBeenCalledTimes(2)
})

test('a database without response gets at most two queries, and its return is noticed', async () => {
  let now = 0
  let isHanging = true
  const waiting: (() => void)[] = []
  const readMigrations = vi.fn<ReadMigrations>(async () => {
    if (isHanging) await new Promise<void>((resolve) => waiting.push(resolve))
    return ['1', '2']
  })
  const readiness = create({ readMigrations, now: () => now, timeoutSeconds: 0.01 })
  for (let second = 1; second <= 5; second += 1) {
    expect(await readiness.check()).toMatchObject([{ check: 'database', code: 'no_response' }])
    now += 1000
  }
  expect(readMigrations).toHaveBeenCalledTimes(2)
  isHanging = false
  for (const resume of waiting) resume()
  await vi.waitFor(async () => {
    now += 1000
    expect(await readiness.check()).toEqual([])
  })
})

test('a missing migration is a reason, and additional ones of a newer version are not', async () => {
  const withMigrations = (...names: string[]) => create({ readMigrations: () => Promise.resolve(names) })
  expect(await withMigrations('1').check()).toMatchObject([{ check: 'schema', code: 'outdated' }])
  expect(await withMigrations('1', '2', '3').check()).toEqual([])
})

test('another secret than that of the stored credentials is a reason, until it fits again', async () => {
  let now = 0
  let fits = true
  const { warn, info } = logger()
  const readSecretFits = () => Promise.resolve(fits)
  const readiness = create({ readSecretFits, now: () => now, logger: { warn, info } })
  const probe = () => {
    now += 1000
    return readiness.check()
  }
  expect(await probe()).toEqual([])
  fits = false
  expect(await probe()).toMatchObject([{ check: 'encryption', code: 'wrong_secret' }])
  await probe()
  expect(warn).toHaveBeenCalledTimes(1)
  fits = true
  expect(await probe()).toEqual([])
  expect(info).toHaveBeenCalledTimes(1)
})

test('distinguishes an unreachable database from a failing one, without its message', async () => {
  const failingWith = (code: string) =>
    create({ readMigrations: () => Promise.reject(Object.assign(new Error('at db.internal'), { code })) })
  const unreachable = await failingWith('ECONNREFUSED').check()
  expect(unreachable).toMatchObject([{ check: 'database', code: 'unreachable' }])
  expect(JSON.stringify(unreachable)).not.toContain('db.internal')
  expect(await failingWith('ER_NO_SUCH_TABLE').check()).toMatchObject([{ check: 'database', code: 'failed' }])
})

test('a shutdown is reported immediately, also to probes that are waiting', async () => {
  const shutdown = new AbortController()
  let respond = () => {}
  const readMigrations = () =>
    new Promise<string[]>((resolve) => {
      respond = () => resolve(['1', '2'])
    })
  const readiness = create({ readMigrations, shutdownSignal: shutdown.signal })
  const waiting = readiness.check()
  shutdown.abort()
  const reasons = [{ check: 'shutdown', code: 'shutting_down' }]
  expect(await readiness.check()).toMatchObject(reasons)
  respond()
  expect(await waiting).toMatchObject(reasons)
})

test('logs when the state changes, and not for each probe', async () => {
  let now = 0
  let isReachable = false
  const log = logger()
  const readMigrations = () =>
    isReachable ? Promise.resolve(['1', '2']) : Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))
  const readiness = create({ readMigrations, now: () => now, logger: log })
  const probeThreeTimes = async () => {
    for (let count = 1; count <= 3; count += 1) {
      await readiness.check()
      now += 1000
    }
  }
  await probeThreeTimes()
  expect(log.warn).toHaveBeenCalledTimes(1)
  isReachable = true
  await probeThreeTimes()
  expect(log.info.mock.calls).toEqual([['the server is ready again']])
  expect(log.warn).toHaveBeenCalledTimes(1)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, type RedisConnection } from '@patchbay/server/adapters/redis'
import { readConfiguration } from '@patchbay/server/config/configuration'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { afterAll, afterEach, expect, test } from 'vitest'

/** Tests all ways to configure Redis with jambonz's environment variables, against real servers. */

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const folder = mkdtempSync(join(tmpdir(), 'patchbay-redis-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const start = async (...options: Parameters<typeof startRedis>): Promise<RedisServer> => {
  const server = await startRedis(...options)
  ends.push(() => server.stop())
  return server
}

const connect = async (variables: NodeJS.ProcessEnv): Promise<RedisConnection> => {
  const { redis } = readConfiguration({ JWT_SECRET: 'a secret of the tests', ...variables })
  if (redis === null) throw new Error('no Redis is configured')
  const connection = await connectRedis(redis, Fastify().log)
  ends.push(() => connection.close())
  return connection
}

const ping = ({ run }: RedisConnection) => run((redis) => redis.ping())
const refused = { code: 'unavailable', status: 503 }

test('connects with a password, and with a user name and password', async () => {
  const server = await start({ file: 'requirepass secret\nuser patchbay on >other ~* +@all\n' })
  const { settings } = server
  expect(await ping(await connect({ ...settings, JAMBONES_REDIS_PASSWORD: 'secret' }))).toBe('PONG')
  const user = { JAMBONES_REDIS_USERNAME: 'patchbay', JAMBONES_REDIS_PASSWORD: 'other' }
  expect(await ping(await connect({ ...settings, ...user }))).toBe('PONG')
  await expect(ping(await connect({ ...settings, JAMBONES_REDIS_PASSWORD: 'wrong' }))).rejects.toMatchObject(refused)
})

const certificate = (name: string) => createCertificate(folder, name)

test('connects with mutual TLS', async () => {
  const ours = certificate('patchbay')
  const serverCertificate = certificate('redis')
  const port = await freePort()
  const files = [
    '--tls-cert-file',
    serverCertificate.cert,
    '--tls-key-file',
    serverCertificate.key,
    '--tls-ca-cert-file',
    ours.cert,
  ]
  await start({ args: ['--tls-port', String(port), ...files] })
  const variables = {
    JAMBONES_REDIS_HOST: '127.0.0.1',
    JAMBONES_REDIS_PORT: String(port),
    ENABLE_JAMBONES_REDIS_TLS: '1',
    JAMBONES_REDIS_TLS_CERT_FILE: ours.cert,
    JAMBONES_REDIS_TLS_KEY_FILE: ours.key,
  }
  expect(await ping(await connect({ ...variables, JAMBONES_REDIS_TLS_CA_FILE: serverCertificate.cert }))).toBe('PONG')
  // Connections to a server with an untrusted certificate are rejected.
  await expect(ping(await connect(variables))).rejects.toMatchObject(refused)
})

test('follows Sentinels to the new master after a failover', async () => {
  const secret = ['--requirepass', 'data', '--masterauth', 'data']
  const master = await start({ args: secret })
  const replica = await start({ args: [...secret, '--replicaof', `127.0.0.1 ${master.port}`] })
  const sentinel = await start({
    file: [
      'requirepass watch',
      `sentinel monitor main 127.0.0.1 ${master.port} 1`,
      'sentinel auth-pass main data',
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 5000',
      '',
    ].join('\n'),
    args: ['--sentinel'],
    ready: '+monitor',
  })
  const connection = await connect({
    JAMBONES_REDIS_SENTINELS: `127.0.0.1:${sentinel.port}`,
    JAMBONES_REDIS_SENTINEL_MASTER_NAME: 'main',
    JAMBONES_REDIS_SENTINEL_PASSWORD: 'data',
    JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD: 'watch',
  })
  expect(await connection.run((redis) => redis.set('kept', 'before'))).toBe('OK')
  const watcher = new Redis({ port: sentinel.port, password: 'watch' })
  ends.push(() => watcher.disconnect())
  const replicas = async () => String(await watcher.call('SENTINEL', 'REPLICAS', 'main'))
  await expect.poll(replicas).toContain(`master-link-status,ok`)
  const copy = new Redis({ port: replica.port, password: 'data' })
  ends.push(() => copy.disconnect())
  await expect.poll(() => copy.get('kept')).toBe('before')

  await master.kill()
  const write = () => connection.run((redis) => redis.set('kept', 'after')).catch(() => 'not yet')
  await expect.poll(write).toBe('OK')
  expect(await copy.get('kept')).toBe('after')
})

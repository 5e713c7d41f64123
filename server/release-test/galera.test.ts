import { enter } from '@patchbay/testkit/crash/crash-rounds'
import {
  answered,
  callApi,
  findLostWrites,
  getBody,
  getText,
  isDone,
  keepWriting,
  openLedger,
  seeded,
  sendAgain,
  type Target,
} from '@patchbay/testkit/crash/durability-ledger'
import { readConfiguration } from '@patchbay/testkit/docs/documentation'
import { type GaleraCluster, startGalera } from '@patchbay/testkit/servers/galera'
import { type Haproxy, startHaproxy } from '@patchbay/testkit/servers/haproxy'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Processes that write to different nodes of a Galera cluster, and the loss of a node. */

let cluster: GaleraCluster
let redis: RedisServer
const proxies: Haproxy[] = []
let servers: [RunningServer, RunningServer]
let targets: [Target, Target]

/** Starts the documented HAProxy of a process, with the node at `preferred` as the first choice. */
const startDatabaseProxy = async (preferred: number): Promise<number> => {
  const [port, statisticsPort] = [await freePort(), await freePort()]
  const nodes = cluster.nodes.map((_, offset) => cluster.nodes[(preferred + offset) % cluster.nodes.length])
  const configuration = readConfiguration('docs/how-to/run-several-processes.md', 'haproxy', 1, {
    '127.0.0.1:3306': `127.0.0.1:${port}`,
    '10.0.0.21:3306': `127.0.0.1:${nodes[0]?.port}`,
    '10.0.0.22:3306': `127.0.0.1:${nodes[1]?.port}`,
    '10.0.0.23:3306': `127.0.0.1:${nodes[2]?.port}`,
  })
  proxies.push(await startHaproxy(configuration, statisticsPort))
  return port
}

beforeAll(async () => {
  ;[cluster, redis] = await Promise.all([startGalera(3), startRedis()])
  await cluster.nodes[0]?.createDatabase('patchbay')
  const settings = { ...redis.settings, JWT_SECRET: 'a secret that both processes share' }
  const start = async (node: number) =>
    startServer({ ...settings, DATABASE_URL: `mysql://root@127.0.0.1:${await startDatabaseProxy(node)}/patchbay` })
  servers = [await start(0), await start(1)]
  const target = await enter(servers[0])
  const { url, intakePort, otlpPort } = servers[1]
  targets = [target, { ...target, url, intakePort, otlpPort }]
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await Promise.all([cluster, redis, ...proxies].map((each) => each.stop()))
})

const createAccount = async (name: string): Promise<string> => {
  const [target] = targets
  const create = async (path: string, body: object) =>
    getText(getBody(await callApi(target, target.apiKey, 'POST', path, body)), 'sid')
  return create('/Accounts', { name, service_provider_sid: await create('/ServiceProviders', { name }) })
}

test('a process that reads from another node sees every earlier change', async () => {
  const path = `/Accounts/${await createAccount('read elsewhere')}`
  for (let version = 1; version <= 200; version += 1) {
    const [writer, reader] = version % 2 === 0 ? targets : targets.toReversed()
    if (!writer || !reader) throw new Error('no targets')
    getBody(await callApi(writer, writer.apiKey, 'PUT', path, { device_to_call_ratio: version }))
    expect((await callApi(reader, reader.apiKey, 'GET', path)).body).toMatchObject({ device_to_call_ratio: version })
  }
})

test('changes of one account through both nodes succeed and are recorded once each', async () => {
  const account_sid = await createAccount('contended')
  const changes = 1000
  const statuses: number[] = []
  let version = 0
  const keepChanging = async (target: Target) => {
    while (version < changes) {
      version += 1
      // Every change has a new value. An unchanged record would write no audit entry.
      const body = { name: `contended ${version}` }
      statuses.push((await callApi(target, target.apiKey, 'PUT', `/Accounts/${account_sid}`, body)).status)
    }
  }
  await Promise.all(Array.from({ length: 64 }, (_, client) => keepChanging(targets[client % 2 === 0 ? 0 : 1])))
  const succeeded = statuses.filter((status) => status === 204).length
  expect(statuses.filter((status) => ![204, 503].includes(status))).toEqual([])
  expect(succeeded).toBeGreaterThanOrEqual(changes - 1)
  const [target] = targets
  const entries = `/patchbay/audit-trail?kind=account&sid=${account_sid}&action=update&page=1&count=1`
  const trail = await callApi(target, target.apiKey, 'GET', entries)
  expect(trail.body).toMatchObject({ total: succeeded })
})

test('the loss of a node loses nothing that was acknowledged, and both processes go on', async () => {
  const [, target] = targets
  const ledger = await openLedger(target)
  const writing = keepWriting(target, ledger, seeded(1))
  try {
    await answered(ledger, isDone)
    await cluster.nodes[1]?.kill()
    await answered(ledger, isDone)
  } finally {
    await writing.stop()
  }
  await sendAgain(target, ledger)
  expect(ledger.openBatches.length + ledger.openTraces.length).toBe(0)
  expect(await findLostWrites(target, ledger)).toEqual([])
  expect(await findLostWrites({ ...target, url: servers[0].url }, ledger)).toEqual([])
  await cluster.rejoin(1)
  const name = 'after the node was back'
  const sid = await createAccount(name)
  await expect
    .poll(async () => (await callApi(target, target.apiKey, 'GET', `/Accounts/${sid}`)).body)
    .toMatchObject({ name })
})

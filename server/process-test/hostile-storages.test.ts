import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody, getText, type Target } from '@patchbay/testkit/crash/durability-ledger'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { peakMemory } from '@patchbay/testkit/peak-memory'
import {
  type Behavior,
  type BehaviorName,
  behaviors,
  type HostilePeer,
  startHostilePeer,
} from '@patchbay/testkit/peers/hostile-peer'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterEach, expect, test } from 'vitest'

/** Storages of accounts that attack the server which uploads recordings to them. */

const maxMegabytes = 400

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const startPeer = async (behavior: Behavior): Promise<HostilePeer> => {
  const peer = await startHostilePeer(() => behavior)
  ends.push(() => peer.stop())
  return peer
}

const start = async (settings: NodeJS.ProcessEnv): Promise<RunningServer> => {
  const server = await startServer({ PRIVATE_NETWORKS: loopbackNetwork, ...settings })
  ends.push(() => server.kill())
  return server
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-hostile-'))
  ends.push(() => Promise.resolve(rmSync(folder, { recursive: true })))
  return folder
}

const s3 = ({ origin }: HostilePeer) => ({
  vendor: 's3_compatible',
  endpoint: origin,
  name: 'recordings',
  access_key_id: 'a',
  secret_access_key: 'b',
})

const azure = ({ origin }: HostilePeer) => ({
  vendor: 'azure',
  name: 'recordings',
  connection_string: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Yg==;BlobEndpoint=${origin}/a`,
})

const makeProvider = async (target: Target): Promise<string> =>
  getText(getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: randomUUID() })), 'sid')

const makeAccount = async (target: Target, service_provider_sid: string, bucket_credential?: object) => {
  const account = { name: randomUUID(), service_provider_sid, record_format: 'wav' }
  const sid = getText(getBody(await callApi(target, target.apiKey, 'POST', '/Accounts', account)), 'sid')
  if (bucket_credential) getBody(await callApi(target, target.apiKey, 'PUT', `/Accounts/${sid}`, { bucket_credential }))
  return sid
}

const record = async (server: RunningServer, account_sid: string): Promise<string> => {
  const { say, hangUp, call_sid } = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
  await say(tones([440, 1000], 1))
  await hangUp()
  return call_sid
}

const statusOfRecording = async (server: RunningServer, { apiKey }: Target, account_sid: string, call_sid: string) => {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  const url = `${server.url}/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day}/wav`
  const { status } = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  return status
}

/** Uploads that fail, so that the recording remains a file in the queue. */
const refusals: readonly Attack[] = [
  ['a 500 response of 561 MB', azure],
  ['a 500 response without an end', azure],
  ['a redirect to itself', azure],
  ['noise in place of HTTP', azure],
  ['a 500 response without an end', s3],
  ['headers without an end', s3],
]

/** A storage that claims to have every object, so that the recording remains a file and is not retried. */
const lies: readonly Attack[] = [
  ['HTML in place of JSON or XML', s3],
  ['a 200 response without an end', s3],
  ['a 200 response without an end', azure],
  ['a gzip bomb without an end', s3],
]

type Attack = readonly [BehaviorName, typeof s3 | typeof azure]

test('hostile storages end no process, not even after a restart, and do not affect other accounts', async () => {
  const DATA_DIR = newFolder()
  const first = await start({ DATA_DIR })
  const target = await enter(first)
  const provider = await makeProvider(target)
  const healthy = await makeAccount(target, provider)
  const attackers = (attacks: readonly Attack[]) =>
    Promise.all(
      attacks.map(async ([name, credential]) =>
        makeAccount(target, provider, credential(await startPeer(behaviors[name]))),
      ),
    )
  const [refusing, lying] = await Promise.all([attackers(refusals), attackers(lies)])
  const calls = new Map<string, string>()
  const recordFor = async (account: string) => calls.set(account, await record(first, account))
  await Promise.all([...refusing, ...lying].map(recordFor))
  const isToldBy = (server: RunningServer) => (account: string) =>
    new RegExp(`"account_sid":"${account}".*a storage did not accept a recording`).test(server.output())
  await expect.poll(() => refusing.filter((account) => !isToldBy(first)(account))).toEqual([])
  const staysFile = (account: string) =>
    new RegExp(`"account_sid":"${account}".*a recording stays a file`).test(first.output())
  await expect.poll(() => lying.filter((account) => !staysFile(account))).toEqual([])
  const call = await record(first, healthy)
  const getStatus = (account: string) => statusOfRecording(first, target, account, calls.get(account) ?? '')
  await expect.poll(() => statusOfRecording(first, target, healthy, call)).toBe(200)
  expect(await Promise.all(refusing.map(getStatus))).toEqual(refusing.map(() => 200))
  expect(await Promise.all(lying.map(getStatus))).toEqual(lying.map(() => 200))
  expect(peakMemory(first.pid)).toBeLessThan(maxMegabytes)
  await first.kill()

  const second = await start({ DATA_DIR })
  await expect.poll(() => refusing.filter((account) => !isToldBy(second)(account))).toEqual([])
  expect(await statusOfRecording(second, target, healthy, call)).toBe(200)
  expect(peakMemory(second.pid)).toBeLessThan(maxMegabytes)
})

const faultyEnvironment = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('fixtures/faults.mjs', import.meta.url))}` }

test('an error in a library is logged with its account, whose storage is paused, and the process continues', async () => {
  const server = await start(faultyEnvironment)
  const target = await enter(server)
  const provider = await makeProvider(target)
  const faulty = await startPeer(
    (socket) =>
      new Promise((resolve) => socket.end('HTTP/1.1 200 OK\r\nx-fault: 1\r\ncontent-length: 0\r\n\r\n', resolve)),
  )
  const account = await makeAccount(target, provider, s3(faulty))
  const tryStorage = () =>
    callApi(target, target.apiKey, 'POST', `/Accounts/${account}/BucketCredentialTest`, s3(faulty))
  await tryStorage()
  await expect
    .poll(() => server.output())
    .toContain(
      `"account_sid":"${account}","paused_seconds":60,"msg":"unexpected error in outgoing requests of an account`,
    )
  expect(server.output()).toContain('thrown by a library of a vendor')
  const connections = faulty.connections()
  expect((await tryStorage()).body).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('are paused for') as string,
  })
  expect(faulty.connections()).toBe(connections)
  const healthy = await makeAccount(target, provider)
  const call = await record(server, healthy)
  await expect.poll(() => statusOfRecording(server, target, healthy, call)).toBe(200)
})

test('an error in the server itself is logged, and the process ends with code 1', async () => {
  const server = await start(faultyEnvironment)
  await fetch(`${server.url}/health`, { headers: { 'x-fault': '1' } }).catch(() => {})
  expect(await server.ended).toBe(1)
  expect(server.output()).toMatch(/"level":60.*thrown by the server itself.*unexpected error; the process ends/)
})

import { execFileSync } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody, getText } from '@patchbay/testkit/crash/durability-ledger'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** Recordings on a full disk, and shutdown while a storage hangs. */

const createAccount = async (server: RunningServer, more: object = {}): Promise<string> => {
  const target = await enter(server)
  const create = async (path: string, body: object) =>
    getText(getBody(await callApi(target, target.apiKey, 'POST', path, body)), 'sid')
  const service_provider_sid = await create('/ServiceProviders', { name: 'recorded' })
  const account_sid = await create('/Accounts', { name: 'recorded', service_provider_sid, record_format: 'wav' })
  expect((await callApi(target, target.apiKey, 'PUT', `/Accounts/${account_sid}`, more)).status).toBe(204)
  return account_sid
}

const recordingsIn = async ({ dataDir }: RunningServer): Promise<string[]> => {
  const names = await readdir(join(dataDir, 'recordings'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.wav')).map((name) => join(dataDir, 'recordings', name))
}

test('stops immediately while an upload hangs, and keeps the recording in the queue', async () => {
  const hanging = await startHangingServer()
  const server = await startServer({ PRIVATE_NETWORKS: loopbackNetwork })
  try {
    const bucket_credential = {
      vendor: 's3_compatible',
      endpoint: hanging.origin,
      name: 'recordings',
      access_key_id: 'key',
      secret_access_key: 'secret',
    }
    const call = await startRecording({
      url: server.url.replace('http', 'ws'),
      account_sid: await createAccount(server, { bucket_credential }),
    })
    await call.say(tones([440, 1000], 0.5))
    await call.hangUp()
    await expect.poll(() => hanging.connections.size).toBe(1)
    process.kill(server.pid, 'SIGTERM')
    expect(await server.ended).toBe(0)
    // The server was not killed by a timeout, which the log would contain.
    expect(server.output()).not.toContain('killed by timeout')
    expect(await recordingsIn(server)).toHaveLength(1)
    const queued = await readdir(join(server.dataDir, 'recordings/waiting'))
    expect(queued.filter((name) => name.endsWith('.waiting'))).toHaveLength(1)
  } finally {
    await server.stop()
    hanging.close()
  }
})

test('keeps audio recorded before the disk was full, and records again after space is free', async () => {
  const server = await startServer()
  const limitFiles = (bytes: number | string) => execFileSync('prlimit', [`--pid=${server.pid}`, `--fsize=${bytes}:`])
  try {
    const url = server.url.replace('http', 'ws')
    const account_sid = await createAccount(server, { record_format: 'wav' })
    limitFiles(512 * 1024)
    const call = await startRecording({ url, account_sid })
    call.say(tones([440, 1000], 60)).catch(() => {})
    expect(await call.closed).toEqual([1011, 'it cannot be stored'])
    await expect.poll(() => recordingsIn(server)).toHaveLength(1)
    const [fileName = ''] = await recordingsIn(server)
    expect((await stat(fileName)).size).toBe(512 * 1024)

    limitFiles('unlimited')
    const next = await startRecording({ url, account_sid })
    await next.say(tones([440, 1000], 1))
    await next.hangUp()
    await expect.poll(() => recordingsIn(server)).toHaveLength(2)
    await expect.poll(() => readdir(join(server.dataDir, 'recordings/unfinished'))).toEqual([])
  } finally {
    await server.stop()
  }
})

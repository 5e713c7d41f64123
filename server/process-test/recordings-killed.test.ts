import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enter, mysqlStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody, getText, type Target } from '@patchbay/testkit/crash/durability-ledger'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { hearMp3, type Recorder, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'

/** Audio received before a process was killed is a recording after the next start. */

const formats = ['mp3', 'wav'] as const
const seconds = 6

const accountWith = async (target: Target, provider: string, record_format: string): Promise<string> => {
  const account = { name: randomUUID(), service_provider_sid: provider, record_format }
  return getText(getBody(await callApi(target, target.apiKey, 'POST', '/Accounts', account)), 'sid')
}

/** Starts a call of each format and returns after all audio so far has been written. */
const callsUnderWay = async (server: RunningServer, accounts: readonly string[]): Promise<Recorder[]> => {
  const url = server.url.replace('http', 'ws')
  const calls = await Promise.all(accounts.map((account_sid) => startRecording({ url, account_sid })))
  for (const call of calls) {
    call.socket.on('error', () => {})
    await call.say(tones([440, 1000], seconds))
  }
  const folder = join(server.dataDir, 'recordings/unfinished')
  const written = async () => {
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  // The MP3 encoder holds back the last seconds until more audio follows.
  await expect.poll(written).toBeGreaterThan(44 + seconds * 32_000 + (seconds - 0.5) * 8000)
  return calls
}

const recordingsIn = async (dataDir: string): Promise<string[]> => {
  const names = await readdir(join(dataDir, 'recordings'), { recursive: true })
  return names.filter((name) => /\.(?:mp3|wav)$/.test(name)).map((name) => join(dataDir, 'recordings', name))
}

test('a recording in progress when its process was killed is completed by exactly one of the next processes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-recordings-'))
  const store = mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase())
  const settings = { ...store.settings, DATA_DIR: dataDir }
  const started: RunningServer[] = []
  const start = async () => {
    const server = await startServer(settings)
    started.push(server)
    return server
  }
  try {
    const killed = await start()
    const target = await enter(killed)
    const provider = getText(
      getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: 'recorded' })),
      'sid',
    )
    const accounts = await Promise.all(formats.map((format) => accountWith(target, provider, format)))
    const calls = await callsUnderWay(killed, accounts)

    // A file without a description is deleted after a day, as are files of earlier versions.
    const unfinished = join(dataDir, 'recordings/unfinished')
    const nobodys = [randomUUID(), `${randomUUID()}.${randomUUID()}`]
    for (const name of nobodys) await writeFile(join(unfinished, name), 'audio')
    const [older = ''] = nobodys
    await utimes(join(unfinished, older), 0, 0)

    const neighbour = await start()
    await expect.poll(() => readdir(unfinished)).not.toContain(older)
    expect(await recordingsIn(dataDir)).toEqual([])
    await neighbour.stop()
    await killed.kill()

    const both = await Promise.all([start(), start()])
    await expect.poll(() => recordingsIn(dataDir)).toHaveLength(2)
    await expect.poll(() => readdir(unfinished)).toEqual(nobodys.slice(1))
    // The log line follows the file, and arrives through a pipe.
    const logLines = () =>
      both.flatMap(
        (server) => server.output().match(/completed a recording that the end of a process had interrupted/g) ?? [],
      )
    await expect.poll(logLines).toHaveLength(2)

    const files = await recordingsIn(dataDir)
    const readContent = (at: number): Promise<Buffer> => {
      const name = `${calls[at]?.call_sid}.${formats[at]}`
      return readFile(files.find((file) => file.includes(`/${accounts[at]}/`) && file.endsWith(name)) ?? '')
    }
    const heard = await hearMp3(await readContent(0))
    expect(Math.abs(heard.seconds - seconds)).toBeLessThan(0.5)
    expect(Math.abs((heard.hertz[0] ?? 0) - 440)).toBeLessThan(10)
    const wav = await readContent(1)
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44)
    expect(wav.subarray(44).equals(tones([440, 1000], seconds))).toBe(true)
    const [mp3 = ''] = accounts
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
    const path = `${both[0]?.url}/v1/Accounts/${mp3}/RecentCalls/${calls[0]?.call_sid}/record/${day}/mp3`
    const answer = await fetch(path, { headers: { authorization: `Bearer ${target.apiKey}` } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mp3'])
  } finally {
    for (const server of started) await server.kill()
    rmSync(dataDir, { recursive: true })
  }
})

test('recordings whose uploads hung when the process was killed are uploaded once after the next start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-recordings-'))
  const [hanging, s3] = await Promise.all([startHangingServer(), startS3Server()])
  const settings = { DATA_DIR: dataDir, PRIVATE_NETWORKS: loopbackNetwork }
  const started: RunningServer[] = []
  try {
    const killed = await startServer(settings)
    started.push(killed)
    const target = await enter(killed)
    const provider = getText(
      getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: 'uploads' })),
      'sid',
    )
    const account = await accountWith(target, provider, 'wav')
    const storeAt = (at: Target, endpoint: string) =>
      callApi(at, at.apiKey, 'PUT', `/Accounts/${account}`, { bucket_credential: { ...s3.credential, endpoint } })
    expect((await storeAt(target, hanging.origin)).status).toBe(204)
    const calls = await Promise.all(
      [1, 2, 3].map(() => startRecording({ url: killed.url.replace('http', 'ws'), account_sid: account })),
    )
    for (const call of calls) {
      await call.say(tones([440, 1000], 0.2))
      await call.hangUp()
    }
    await expect.poll(() => recordingsIn(dataDir)).toHaveLength(3)
    await expect.poll(() => hanging.connections.size).toBe(1)
    expect((await storeAt(target, s3.credential.endpoint)).status).toBe(204)
    await killed.kill()

    started.push(await startServer(settings))
    const uploaded = () => [...s3.objects.keys()].filter((name) => name.endsWith('.wav'))
    await expect.poll(uploaded).toHaveLength(3)
    await expect.poll(() => recordingsIn(dataDir)).toEqual([])
    const queued = async () =>
      (await readdir(join(dataDir, 'recordings/waiting'))).filter((name) => !name.startsWith('lock'))
    await expect.poll(queued).toEqual([])
    for (const { call_sid } of calls) expect(uploaded().filter((name) => name.includes(call_sid))).toHaveLength(1)
  } finally {
    for (const server of started) await server.kill()
    hanging.close()
    await s3.stop()
    rmSync(dataDir, { recursive: true })
  }
})

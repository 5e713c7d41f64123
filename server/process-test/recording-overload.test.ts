import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as moment } from 'node:timers/promises'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody, getText, type Target } from '@patchbay/testkit/crash/durability-ledger'
import { openRecordSocket, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { peakMemory } from '@patchbay/testkit/peak-memory'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** Recording clients that send as fast as they can, and the server's behavior for other requests meanwhile. */

const accountWith = async (target: Target, record_format: 'mp3' | 'wav'): Promise<string> => {
  const provider = getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: record_format }))
  const account = { name: record_format, service_provider_sid: getText(provider, 'sid'), record_format }
  return getText(getBody(await callApi(target, target.apiKey, 'POST', '/Accounts', account)), 'sid')
}

test('two hundred clients do not exceed the memory limit, and other requests are served', async () => {
  const server = await startServer()
  try {
    const target = await enter(server)
    const [mp3, wav] = [await accountWith(target, 'mp3'), await accountWith(target, 'wav')]
    const url = server.url.replace('http', 'ws')
    const audio = tones([440, 1000], 20)
    const flood = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => startRecording({ url, account_sid: nth % 2 ? mp3 : wav })),
    )
    // Each client sends all audio without waiting.
    for (const { say } of flood) say(audio, 64_000).catch(() => {})
    // Clients that send audio without metadata.
    const socketsWithoutMetadata = await Promise.all(
      Array.from({ length: 50 }, () => Promise.resolve(openRecordSocket(`${url}/record/s3`))),
    )
    for (const socket of socketsWithoutMetadata) {
      socket.on('error', () => {})
      socket.once('open', () => {
        for (let count = 0; count < 20; count += 1) socket.send(audio.subarray(0, 200_000))
      })
    }
    const answered = async (): Promise<number> => {
      const began = performance.now()
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
      return performance.now() - began
    }
    const waits: number[] = []
    for (let count = 0; count < 20; count += 1) {
      waits.push(await answered())
      await moment(100)
    }
    expect(Math.max(...waits)).toBeLessThan(3000)
    expect(peakMemory(server.pid)).toBeLessThan(450)
    for (const { socket } of flood) socket.terminate()
    for (const socket of socketsWithoutMetadata) socket.terminate()
    await expect.poll(() => readdir(join(server.dataDir, 'recordings/unfinished')), { timeout: 60_000 }).toEqual([])
    const storedFiles = await readdir(join(server.dataDir, 'recordings'), { recursive: true })
    expect(storedFiles.filter((name) => /\.(?:mp3|wav)$/.test(name))).toHaveLength(200)
  } finally {
    await server.stop()
  }
})

test('recordings in progress are stored when the server is stopped', async () => {
  const server = await startServer()
  try {
    const account_sid = await accountWith(await enter(server), 'mp3')
    const call = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
    await call.say(tones([440, 1000], 2))
    await moment(300)
    process.kill(server.pid, 'SIGTERM')
    await once(call.socket, 'close')
    expect(await server.ended).toBe(0)
    const storedFiles = await readdir(join(server.dataDir, 'recordings'), { recursive: true })
    expect(storedFiles.filter((name) => name.endsWith(`${call.call_sid}.mp3`))).toHaveLength(1)
  } finally {
    await server.stop()
  }
})

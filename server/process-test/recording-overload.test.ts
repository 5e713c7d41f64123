import { getBody, callApi, type Target, getText } from '@patchbay/testkit/durability-ledger'
import { enter } from '@patchbay/testkit/crash-rounds'
import { openRecordSocket, startRecording, tones } from '@patchbay/testkit/fake-recorder'
import { peakMemory } from '@patchbay/testkit/peak-memory'
import { startServer } from '@patchbay/testkit/server-process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as moment } from 'node:timers/promises'
import { expect, test } from 'vitest'

/** Writers of recordings that send as fast as they can, and what the server is to everybody else meanwhile. */

const accountWith = async (target: Target, record_format: 'mp3' | 'wav'): Promise<string> => {
  const provider = getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: record_format }))
  const account = { name: record_format, service_provider_sid: getText(provider, 'sid'), record_format }
  return getText(getBody(await callApi(target, target.apiKey, 'POST', '/Accounts', account)), 'sid')
}

test('two hundred writers take no more memory than there is, and others are answered', async () => {
  const server = await startServer()
  try {
    const target = await enter(server)
    const [mp3, wav] = [await accountWith(target, 'mp3'), await accountWith(target, 'wav')]
    const url = server.url.replace('http', 'ws')
    const audio = tones([440, 1000], 20)
    const flood = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => startRecording({ url, account_sid: nth % 2 ? mp3 : wav })),
    )
    // Each sends all of it and waits for nothing.
    for (const { say } of flood) say(audio, 64_000).catch(() => {})
    // Audio of nobody, and nothing but audio.
    const strangers = await Promise.all(
      Array.from({ length: 50 }, () => Promise.resolve(openRecordSocket(`${url}/record/s3`))),
    )
    for (const socket of strangers) {
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
    for (const socket of strangers) socket.terminate()
    await expect.poll(() => readdir(join(server.dataDir, 'recordings/unfinished')), { timeout: 60_000 }).toEqual([])
    const kept = await readdir(join(server.dataDir, 'recordings'), { recursive: true })
    expect(kept.filter((name) => /\.(?:mp3|wav)$/.test(name))).toHaveLength(200)
  } finally {
    await server.stop()
  }
})

test('what is under way when it is told to stop is kept', async () => {
  const server = await startServer()
  try {
    const account_sid = await accountWith(await enter(server), 'mp3')
    const call = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
    await call.say(tones([440, 1000], 2))
    await moment(300)
    process.kill(server.pid, 'SIGTERM')
    await once(call.socket, 'close')
    expect(await server.ended).toBe(0)
    const kept = await readdir(join(server.dataDir, 'recordings'), { recursive: true })
    expect(kept.filter((name) => name.endsWith(`${call.call_sid}.mp3`))).toHaveLength(1)
  } finally {
    await server.stop()
  }
})

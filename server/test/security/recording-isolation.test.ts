import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { createServices } from '@patchbay/server/app/create-services'
import { createUnfinishedPath, fileRecordings } from '@patchbay/server/call-data/recordings/file-recordings'
import { createPendingUploads } from '@patchbay/server/call-data/recordings/pending-uploads'
import { getRecordingKey, newRecordingId } from '@patchbay/server/call-data/recordings/recording-names'
import type { UploadScheduler } from '@patchbay/server/call-data/recordings/upload-scheduler'
import { type HangingServer, startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { openRecordSocket, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** Attacks of one account on the recordings of others. */

let api: TestApi
let url: string
let google: GoogleServer
let provider: string
let hanging: HangingServer
let schedulers: UploadScheduler[]
let clock: number

beforeAll(async () => {
  google = await startGoogleServer()
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, {
    objectStorage: createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses: google.vendorAddresses }),
  })
  url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
  provider = await api.provider()
})
afterAll(async () => {
  await api.close()
  await google.stop()
})
beforeEach(async () => {
  hanging = await startHangingServer()
  schedulers = []
  clock = 0
})
afterEach(async () => {
  for (const scheduler of schedulers) scheduler.stop()
  hanging.close()
  for (const scheduler of schedulers) {
    await scheduler.settled()
    scheduler.release()
  }
})

const startUploads = (services = api.services): UploadScheduler => {
  const scheduler = services.createUploadScheduler(() => clock)
  schedulers.push(scheduler)
  return scheduler
}

const accountWith = async (bucket_credential?: object): Promise<string> => {
  const account_sid = await api.account(provider, { record_format: 'wav' })
  if (bucket_credential)
    expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)
  return account_sid
}

const hangingStorage = () => ({
  vendor: 's3_compatible',
  endpoint: hanging.origin,
  name: 'recordings',
  access_key_id: 'key',
  secret_access_key: 'secret',
})

const audio = tones([440, 1000], 0.1)

/** Records a short call. Returns its sid and the close code of the connection. */
const record = async (account_sid: string, call_sid: string = randomUUID()) => {
  const call = await startRecording({ url, account_sid, call_sid })
  await call.say(audio)
  call.socket.close()
  const [code] = await call.closed
  return { call_sid, code }
}

const recordMany = (account_sid: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => record(account_sid)))

const recordingsFolder = (...names: string[]) => join(api.services.configuration.dataDir, 'recordings', ...names)

const listFiles = async (account_sid: string) => {
  const names = await readdir(recordingsFolder(account_sid), { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.wav'))
}
const listQueue = async (account_sid: string) =>
  (await readdir(recordingsFolder('waiting')).catch(() => [])).filter((name) => name.startsWith(account_sid))

const listUploads = (account_sid: string) =>
  [...google.objects.values()].filter(({ metadata }) => metadata['accountSid'] === account_sid)

describe('hanging storages', () => {
  test('two accounts whose storage hangs, with 30 recordings each, delay no other account', async () => {
    const [one, two] = [await accountWith(hangingStorage()), await accountWith(hangingStorage())]
    const victim = await accountWith(google.credential)
    await Promise.all([recordMany(one, 30), recordMany(two, 30)])
    // Every recording is on disk, and its slot is free again.
    await expect.poll(async () => [(await listFiles(one)).length, (await listFiles(two)).length]).toEqual([30, 30])
    const uploads = startUploads()
    await uploads.queueDue()
    await expect.poll(() => hanging.connections.size).toBe(2)
    await recordMany(victim, 30)
    // An upload whose file has not been moved to its place yet would wait for the next run.
    await expect
      .poll(async () => [(await listQueue(victim)).length, (await listFiles(victim)).length])
      .toEqual([30, 30])
    await uploads.queueDue()
    await expect.poll(() => listUploads(victim).length, { timeout: 20_000 }).toBe(30)
    await expect.poll(async () => [await listFiles(victim), await listQueue(victim)]).toEqual([[], []])
    expect(hanging.maxConnections()).toBe(2)
    expect([(await listQueue(one)).length, (await listQueue(two)).length]).toEqual([30, 30])
  })

  test('more hanging storages than slots delay another account only once', async () => {
    const attackers = await Promise.all(Array.from({ length: 12 }, () => accountWith(hangingStorage())))
    await Promise.all(attackers.map((account_sid) => record(account_sid)))
    for (const account_sid of attackers) await expect.poll(() => listQueue(account_sid)).toHaveLength(1)
    const victim = await accountWith(google.credential)
    await record(victim)
    await expect.poll(() => listQueue(victim)).toHaveLength(1)
    const uploads = startUploads()
    await uploads.queueDue()
    await expect.poll(() => listUploads(victim).length, { timeout: 30_000 }).toBe(1)
    expect(hanging.connections.size).toBeGreaterThan(0)
  })

  test('stopping the server aborts uploads, which the next one continues', async () => {
    const account_sid = await accountWith(hangingStorage())
    await recordMany(account_sid, 3)
    await expect.poll(() => listQueue(account_sid)).toHaveLength(3)
    const first = startUploads()
    await first.queueDue()
    await expect.poll(() => hanging.connections.size).toBe(1)
    first.stop()
    await first.settled()
    first.release()
    expect(await listQueue(account_sid)).toHaveLength(3)

    expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: google.credential })).status).toBe(204)
    const { configuration, database } = api.services
    const outgoing = { ...configuration.outgoing, vendorAddresses: google.vendorAddresses }
    const next = startUploads(createServices({ configuration: { ...configuration, outgoing }, database }))
    await next.queueDue()
    await next.settled()
    expect(listUploads(account_sid)).toHaveLength(3)
    expect(await listFiles(account_sid)).toEqual([])
  })
})

describe('a deleted account', () => {
  test('leaves nothing in the queue or on disk', async () => {
    const account_sid = await accountWith(hangingStorage())
    await recordMany(account_sid, 2)
    await expect.poll(() => listQueue(account_sid)).toHaveLength(2)
    const uploads = startUploads()
    await uploads.queueDue()
    await expect.poll(() => hanging.connections.size).toBe(1)
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    await expect.poll(() => listFiles(account_sid)).toEqual([])
    hanging.close()
    await uploads.settled()
    clock += 3_600_000
    await uploads.queueDue()
    await uploads.settled()
    expect(await listQueue(account_sid)).toEqual([])
  })

  test('gets no recording that ends after its deletion', async () => {
    const account_sid = await accountWith()
    const call = await startRecording({ url, account_sid })
    await call.say(audio)
    await expect.poll(() => readdir(recordingsFolder('unfinished'))).not.toEqual([])
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    call.socket.close()
    await call.closed
    await expect.poll(() => readdir(recordingsFolder('unfinished'))).toEqual([])
    expect(await listFiles(account_sid)).toEqual([])
  })
})

describe('a repeated call_sid', () => {
  const readContent = (account_sid: string, name: string) => readFile(recordingsFolder(account_sid, name))
  const store = async (services: TestApi['services'], account_sid: string, call_sid: string, text: string) => {
    const file = await createUnfinishedPath(services.configuration.dataDir)
    await writeFile(file, text)
    const name = { call_sid, day: '2026-05-01', format: 'wav' } as const
    return services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: newRecordingId() })
  }

  test('keeps the first recording and stores the second one as version 2', async () => {
    const account_sid = await accountWith()
    const { call_sid } = await record(account_sid)
    await expect.poll(() => listFiles(account_sid)).toHaveLength(1)
    const [first = ''] = await listFiles(account_sid)
    const before = await readContent(account_sid, first)
    const again = await startRecording({ url, account_sid, call_sid })
    await again.say(tones([300, 300], 1))
    again.socket.close()
    await expect.poll(() => listFiles(account_sid)).toHaveLength(2)
    expect((await listFiles(account_sid)).toSorted()).toEqual([first.replace('.wav', '.2.wav'), first])
    expect((await readContent(account_sid, first)).equals(before)).toBe(true)
  })

  test('does not replace or reveal the recording of another account, even in a shared bucket', async () => {
    const [victim, attacker] = [await accountWith(google.credential), await accountWith(google.credential)]
    const call_sid = randomUUID()
    await store(api.services, victim, call_sid, 'of the victim')
    const uploads = startUploads()
    await uploads.queueDue()
    await uploads.settled()
    await store(api.services, attacker, call_sid, 'of the attacker')
    await uploads.queueDue()
    await uploads.settled()
    const read = async (account_sid: string, method: 'GET' | 'DELETE' = 'GET') => {
      const path = `/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/2026/05/01/wav`
      const headers = { authorization: `Bearer ${api.admin.token}` }
      const { statusCode, body } = await api.app.inject({ method, url: path, headers })
      return statusCode === 200 ? body : statusCode
    }
    expect([await read(victim), await read(attacker)]).toEqual(['of the victim', 'of the attacker'])
    expect(await read(attacker, 'DELETE')).toBe(204)
    expect([await read(victim), await read(attacker)]).toEqual(['of the victim', 404])
  })

  test('in two concurrent processes keeps both recordings', async () => {
    const { configuration, database } = api.services
    const processes = [1, 2].map(() => createServices({ configuration, database }))
    const account_sid = await accountWith()
    for (let round = 0; round < 10; round += 1) {
      const call_sid = randomUUID()
      const versions = await Promise.all(
        processes.map((services, nth) => store(services, account_sid, call_sid, `of process ${nth}`)),
      )
      expect(new Set(versions)).toEqual(new Set([1, 2]))
    }
    expect(await listFiles(account_sid)).toHaveLength(20)
  })

  test('is not counted if the process was killed while it stored the same recording', async () => {
    const account_sid = await accountWith(google.credential)
    const name = { call_sid: randomUUID(), day: '2026-05-01', format: 'wav' } as const
    const recording = { account_sid, name, metadata: {}, recording_id: newRecordingId() }
    const { configuration, recordings } = api.services
    const file = await createUnfinishedPath(configuration.dataDir)
    await writeFile(file, 'of a call')
    // State that a process leaves if it is killed immediately before it removes its draft.
    await createPendingUploads(configuration.dataDir).add(getRecordingKey(name), recording)
    await mkdir(recordingsFolder(account_sid, '2026/05/01'), { recursive: true })
    await link(file, recordingsFolder(account_sid, getRecordingKey(name)))
    expect(await recordings.store({ ...recording, file })).toBe(1)
    expect([await listFiles(account_sid), (await listQueue(account_sid)).length]).toEqual([[getRecordingKey(name)], 1])
    const uploads = startUploads()
    await uploads.queueDue()
    await uploads.settled()
    // The process is killed again after the upload, before the draft is removed.
    await writeFile(file, 'of a call')
    await recordings.store({ ...recording, file })
    await uploads.queueDue()
    await uploads.settled()
    expect([listUploads(account_sid).length, await listFiles(account_sid)]).toEqual([1, []])
  })

  test('is deleted from the storage too if it is deleted while it waits, even after the clock was set back', async () => {
    const account_sid = await accountWith(google.credential)
    const call_sid = randomUUID()
    const name = { call_sid, day: '2026-05-01', format: 'wav' } as const
    // Two recordings with a clock that is two days ahead, one of them uploaded.
    for (const text of ['the first', 'the second']) {
      const file = await createUnfinishedPath(api.services.configuration.dataDir)
      await writeFile(file, text)
      const recording_id = `${Date.now() + 2 * 86_400_000}-${randomUUID()}`
      await api.services.recordings.store({ account_sid, name, file, metadata: {}, recording_id })
      if (text === 'the second') continue
      const first = startUploads()
      await first.queueDue()
      await first.settled()
      first.release()
    }
    expect(listUploads(account_sid)).toHaveLength(1)
    const path = `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/2026/05/01/wav`
    expect((await api.admin.delete(path)).status).toBe(204)
    const uploads = startUploads()
    await uploads.queueDue()
    await uploads.settled()
    expect([listUploads(account_sid), await listQueue(account_sid)]).toEqual([[], []])
  })

  test('is rejected after ten recordings, without storing the eleventh', async () => {
    const account_sid = await accountWith()
    const call_sid = randomUUID()
    for (let nth = 0; nth < 10; nth += 1) await store(api.services, account_sid, call_sid, `recording ${nth}`)
    await expect(store(api.services, account_sid, call_sid, 'one too many')).rejects.toThrow('10 times already')
    expect(await listFiles(account_sid)).toHaveLength(10)
    const { find } = fileRecordings(api.services.configuration.dataDir, account_sid)
    expect((await find(`2026/05/01/${call_sid}.wav`))?.size).toBe('recording 0'.length)
  })
})

describe('connections without metadata', () => {
  test('500 silent connections do not prevent a recording', async () => {
    const closed: unknown[] = []
    const silent = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const socket = openRecordSocket(`${url}/record/aws_s3`)
        socket.on('error', () => {}).on('close', (code) => closed.push(code))
        await once(socket, 'open')
        return socket
      }),
    )
    const account_sid = await accountWith()
    const call = await startRecording({ url, account_sid })
    await call.say(audio)
    await expect.poll(() => readdir(recordingsFolder('unfinished'))).not.toEqual([])
    // The number is limited, and the oldest connections are closed immediately.
    await expect.poll(() => closed.filter((code) => code === 1013).length).toBeGreaterThanOrEqual(300)
    call.socket.close()
    await expect.poll(() => listFiles(account_sid)).toHaveLength(1)
    for (const socket of silent) socket.terminate()
  })

  test('audio before the metadata closes the connection', async () => {
    const socket = openRecordSocket(`${url}/record/aws_s3`)
    await once(socket, 'open')
    socket.send(audio)
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).toEqual([1007, 'metadata must come before audio'])
  })
})

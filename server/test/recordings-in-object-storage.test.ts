import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as moment } from 'node:timers/promises'
import { createObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { type AzureServer, startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { type S3Server, startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { hearMp3, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listDeletions, runDeletions } from './deletion-support.ts'
import { callRecord } from './fixtures.ts'

/**
 * Recordings in the storage of accounts (docs/reference/platform-api/recordings.md#object-storage), with fakes that
 * verify every request.
 */

let api: TestApi
let url: string
let s3: S3Server
let google: GoogleServer
let azure: AzureServer
let provider: string

beforeAll(async () => {
  ;[s3, google, azure] = await Promise.all([startS3Server(), startGoogleServer(), startAzureServer()])
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, {
    objectStorage: createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses: google.vendorAddresses }),
  })
  url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
  provider = await api.provider()
})
afterAll(async () => {
  await api.close()
  await Promise.all([s3.stop(), google.stop(), azure.stop()])
})

const getKey = (call_sid: string, format: string): string => {
  const now = new Date()
  const day = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  return `${day.replaceAll('-', '/')}/${call_sid}.${format}`
}

const buildPath = (account_sid: string, call_sid: string, format: string): string => {
  const [folder = ''] = getKey('', format).split('/.')
  return `/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${folder}/${format}`
}

const ask = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'DELETE' = 'GET') =>
  api.app.inject({ method, url: path, headers: { authorization: `Bearer ${api.admin.token}`, ...headers } })

const saved = async (path: string): Promise<Buffer> => {
  for (let remainingAttempts = 200; remainingAttempts > 0; remainingAttempts -= 1) {
    const { statusCode, rawPayload } = await ask(path)
    if (statusCode === 200) return rawPayload
    await moment(20)
  }
  throw new Error(`no recording at ${path}`)
}

const files = (account_sid: string): Promise<string[]> =>
  readdir(join(api.services.configuration.dataDir, 'recordings', account_sid), { recursive: true }).catch(() => [])

const tags = [{ Key: 'team', Value: 'support' }]

/** Uploads the recordings that are due, and waits for the end. */
const upload = async () => {
  const scheduler = api.services.createUploadScheduler()
  await scheduler.queueDue()
  await scheduler.settled()
  scheduler.release()
}

const recorded = async (credential: object, format: 'mp3' | 'wav', audio: Buffer, account?: string) => {
  const bucket_credential = { ...credential, tags }
  const account_sid = account ?? (await api.account(provider, { record_format: format }))
  expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)
  const call = await startRecording({ url, account_sid, metadata: { from: 'Zoë', originatingSipIp: null } })
  await call.say(audio)
  await call.hangUp()
  const path = buildPath(account_sid, call.call_sid, format)
  await saved(path)
  await upload()
  return { account_sid, call_sid: call.call_sid, path, content: await saved(path) }
}

const vendors = ['s3', 'google', 'azure'] as const
const holding = (vendor: (typeof vendors)[number], key: string): boolean =>
  ({ s3, google, azure })[vendor].objects.has(key)

describe.each(vendors)('in %s', (vendor) => {
  const credential = () => ({ s3, google, azure })[vendor].credential

  test('API-058 API-059 a recording is stored under the key of jambonz, returned completely and in ranges, and deleted', async () => {
    const audio = tones([440, 1000], 1)
    const { account_sid, call_sid, path, content } = await recorded(credential(), 'wav', audio)
    expect(holding(vendor, getKey(call_sid, 'wav'))).toBe(true)
    expect((await files(account_sid)).filter((name) => name.endsWith('.wav'))).toEqual([])
    expect(content.subarray(44).equals(audio)).toBe(true)
    expect(content.readUInt32LE(40)).toBe(audio.length)
    const part = await ask(path, { range: 'bytes=1000-1999' })
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 1000-1999/${content.length}`])
    expect(part.rawPayload.equals(content.subarray(1000, 2000))).toBe(true)
    expect((await ask(path, {}, 'DELETE')).statusCode).toBe(204)
    expect(holding(vendor, getKey(call_sid, 'wav'))).toBe(false)
    expect((await ask(path)).statusCode).toBe(404)
  })

  test("two accounts with the same bucket cannot read each other's recordings", async () => {
    const { account_sid, call_sid, path } = await recorded(credential(), 'mp3', tones([440, 1000], 1))
    const other = await api.account(provider)
    await api.admin.put(`/Accounts/${other}`, { bucket_credential: credential() })
    expect((await ask(path.replace(account_sid, other))).statusCode).toBe(404)
    // This also applies to a call with the same sid.
    await api.sinks.calls.store([callRecord(other, { call_sid })])
    expect((await ask(path.replace(account_sid, other))).statusCode).toBe(404)
  })

  test('the deletion of call data deletes the recordings of its calls, and none of another account', async () => {
    const audio = tones([440, 1000], 0.2)
    const [own, foreign] = [await recorded(credential(), 'wav', audio), await recorded(credential(), 'wav', audio)]
    const toUrl = ({ path }: typeof own) => `https://patchbay.example.org/api${path}`
    const call = { call_sid: own.call_sid, recording_url: toUrl(own) }
    // The record of the second call names the recording of another account.
    const other = { call_sid: foreign.call_sid, recording_url: toUrl(foreign) }
    await api.sinks.calls.store([callRecord(own.account_sid, call), callRecord(own.account_sid, other)])
    await api.admin.post(`/patchbay/Accounts/${own.account_sid}/DataDeletions`, {})
    await runDeletions(api)
    expect(holding(vendor, getKey(own.call_sid, 'wav'))).toBe(false)
    expect(holding(vendor, getKey(foreign.call_sid, 'wav'))).toBe(true)
    expect(await listDeletions(api, own.account_sid)).toMatchObject([{ deleted: { calls: 2, recordings: 1 } }])
  })
})

test('the metadata of the call and the tags are stored with the recording', async () => {
  const { account_sid, call_sid } = await recorded(google.credential, 'mp3', tones([440, 1000], 1))
  expect(google.objects.get(getKey(call_sid, 'mp3'))?.metadata).toMatchObject({
    contentType: 'audio/mp3',
    accountSid: account_sid,
    callSid: call_sid,
    direction: 'inbound',
    from: 'Zo%C3%AB',
    to: '1888',
    sampleRate: '8000',
    team: 'support',
  })
  const heard = await hearMp3(google.objects.get(getKey(call_sid, 'mp3'))?.content ?? Buffer.alloc(0))
  expect(Math.abs((heard.hertz[0] ?? 0) - 440)).toBeLessThan(10)
})

test('a recording is kept locally if the storage rejects it', async () => {
  const audio = tones([440, 1000], 0.5)
  const { account_sid, call_sid, content } = await recorded({ ...s3.credential, name: 'nowhere' }, 'wav', audio)
  expect(content.subarray(44).equals(audio)).toBe(true)
  expect((await files(account_sid)).filter((name) => name.endsWith('.wav'))).toHaveLength(1)
  // An alert names the call, although the upload is repeated.
  let clock = 0
  const scheduler = api.services.createUploadScheduler(() => clock)
  for (let nth = 0; nth < 3; nth += 1) {
    await scheduler.queueDue()
    await scheduler.settled()
    clock += 3_600_000
  }
  scheduler.release()
  const alerts = await api.admin.get(`/Accounts/${account_sid}/Alerts?page=1&count=25&days=1`)
  expect(alerts.body).toMatchObject({
    // The first scheduler has raised another one, as before a restart.
    total: 2,
    data: [
      {},
      {
        alert_type: 'recording-upload-failure',
        target_sid: call_sid,
        message: expect.stringContaining('did not accept the recording of this call'),
        detail: expect.stringMatching(/\w/),
      },
    ],
  })
})

test('a tag that the storage cannot keep is rejected when it is saved, and other characters are encoded', async () => {
  const account_sid = await api.account(provider)
  const save = (Key: string, Value: string) =>
    api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: { ...s3.credential, tags: [{ Key, Value }] } })
  const rejected = await save('cost center', 'x')
  expect(rejected.status).toBe(400)
  expect(JSON.stringify(rejected.body)).toContain('because S3 sends names in HTTP headers')
  expect((await save('accountSid', 'other')).status).toBe(400)
  expect((await save('zone', 'Zürich 😀')).status).toBe(204)
})

test('the deletion of call data is repeated while the storage fails, and ends without it', async () => {
  const account_sid = await api.account(provider)
  await api.admin.put(`/Accounts/${account_sid}`, {
    bucket_credential: { ...s3.credential, secret_access_key: 'wrong' },
  })
  const call_sid = randomUUID()
  const recording_url = `https://patchbay.example.org/api${buildPath(account_sid, call_sid, 'wav')}`
  await api.sinks.calls.store([callRecord(account_sid, { call_sid, recording_url })])
  await api.admin.post(`/patchbay/Accounts/${account_sid}/DataDeletions`, {})
  let failures = 0
  for (let hour = 0; hour < 20; hour += 1) {
    const now = Date.now() + hour * 3_600_000
    await runDeletions(api, { now: () => now, onError: () => (failures += 1) })
  }
  expect(failures).toBe(18)
  expect(await listDeletions(api, account_sid)).toMatchObject([
    { status: 'finished', last_error: expect.stringContaining('The storage of the account did not respond') },
  ])
})

test('an unavailable storage results in 404 with a reason', async () => {
  const account_sid = await api.account(provider)
  await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: { ...azure.credential, name: 'nowhere' } })
  const wrong = { ...s3.credential, secret_access_key: 'wrong' }
  expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: wrong })).status).toBe(204)
  const answer = await ask(buildPath(account_sid, account_sid, 'mp3'))
  expect(answer.json()).toMatchObject({ code: 'recordings_unavailable' })
  expect(answer.statusCode).toBe(404)
})

test('a stored recording queues the conversation of its call, which is computed with it when the storage responds again', async () => {
  const { account_sid, call_sid } = await recorded(s3.credential, 'wav', tones([440, 1000], 1))
  const { database } = api.test
  const readQueue = () =>
    database.db
      .selectFrom('patchbay_conversation_queue')
      .select('attempts')
      .where('account_sid', '=', account_sid)
      .where('call_sid', '=', call_sid)
      .execute()
  await expect.poll(readQueue).toEqual([{ attempts: 0 }])
  const recording_url = buildPath(account_sid, call_sid, 'wav').replace('/v1', '')
  await api.sinks.calls.store([callRecord(account_sid, { service_provider_sid: provider, call_sid, recording_url })])
  const runJob = (now: number) =>
    createConversationJob({ database, sources: api.services, onBackgroundError: () => {}, now: () => now })()
  const readVoices = () =>
    database.db
      .selectFrom('patchbay_voice_activities')
      .select('call_sid')
      .where('account_sid', '=', account_sid)
      .execute()
  const setSecret = async (secret_access_key: string) => {
    const bucket_credential = { ...s3.credential, secret_access_key }
    expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)
  }
  await setSecret('wrong')
  await runJob(Date.now() + 60_000)
  expect(await readQueue()).toEqual([{ attempts: 1 }])
  await setSecret(s3.credential.secret_access_key)
  await runJob(Date.now() + 10 * 60_000)
  expect([await readQueue(), await readVoices()]).toEqual([[], [{ call_sid }]])
})

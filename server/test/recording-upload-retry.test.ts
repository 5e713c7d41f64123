import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { createServices } from '@patchbay/server/app/create-services'
import { bucketRecordings } from '@patchbay/server/call-data/recordings/bucket-recordings'
import { createUnfinishedPath, fileRecordings } from '@patchbay/server/call-data/recordings/file-recordings'
import { createPendingUploads } from '@patchbay/server/call-data/recordings/pending-uploads'
import { newRecordingId } from '@patchbay/server/call-data/recordings/recording-names'
import { createRunningUploads } from '@patchbay/server/call-data/recordings/running-uploads'
import { createUploadScheduler, type UploadScheduler } from '@patchbay/server/call-data/recordings/upload-scheduler'
import type { OnBackgroundError } from '@patchbay/server/lib/log'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { type S3Server, startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

/** Recordings that a storage rejected, with a simulated clock: what the next server on the same folder does. */

let api: TestApi
let s3: S3Server
let google: GoogleServer
let provider: string
let clock: number
let lost: { message: string; waiting_recordings?: unknown; retry_minutes?: unknown }[]
const collectFailure: OnBackgroundError = (_error, message, fields) => lost.push({ message, ...fields })
let uploaders: UploadScheduler[]

const minute = 60_000
const day = '2026-05-01'
const nextDay = '2026-05-02'

const network = () => ({ privateNetworks: [loopbackNetwork], vendorAddresses: google.vendorAddresses })

beforeAll(async () => {
  ;[s3, google] = await Promise.all([startS3Server(), startGoogleServer()])
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, {
    objectStorage: createObjectStorage(network()),
  })
  provider = await api.provider()
})
afterAll(async () => {
  await api.close()
  await Promise.all([s3.stop(), google.stop()])
})

beforeEach(() => {
  clock = Date.now()
  lost = []
  uploaders = []
})
afterEach(() => {
  for (const uploader of uploaders) uploader.release()
})

/** Creates the parts of another process with the same folder and database. */
const start = () => {
  const { configuration, database } = api.services
  const services = createServices({
    configuration: { ...configuration, outgoing: { ...configuration.outgoing, ...network() } },
    database,
    onBackgroundError: collectFailure,
  })
  const uploader = services.createUploadScheduler(() => clock)
  uploaders.push(uploader)
  return { recordings: services.recordings, uploader }
}

/** Uploads the recordings that are due. */
const pass = async (uploader: UploadScheduler) => {
  await uploader.queueDue()
  await uploader.settled()
}

const refused = () => ({ ...s3.credential, name: 'nowhere' })
const away = () => ({ ...s3.credential, endpoint: 'http://127.0.0.1:9' })

const store = async (account_sid: string, bucket_credential: object) =>
  expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)

const record = async (
  { recordings }: Pick<ReturnType<typeof start>, 'recordings'>,
  account_sid: string,
  call_sid: string,
  text: string,
  recordedOn = day,
) => {
  const file = await createUnfinishedPath(api.services.configuration.dataDir)
  await writeFile(file, text)
  const name = { call_sid, day: recordedOn, format: 'mp3' } as const
  const metadata = { accountSid: account_sid, callSid: call_sid }
  await recordings.store({ account_sid, name, file, metadata, recording_id: newRecordingId() })
}

const waiting = async (credential: object) => {
  const server = start()
  const account_sid = await api.account(provider)
  await store(account_sid, credential)
  const call_sid = randomUUID()
  await record(server, account_sid, call_sid, 'of a call')
  lost.length = 0
  return { ...server, server, account_sid, call_sid }
}

interface Named {
  account_sid: string
  call_sid: string
}

const ask = async (
  { account_sid, call_sid }: Named,
  method: 'GET' | 'DELETE' = 'GET',
  format = 'mp3',
  recordedOn = day,
) => {
  const path = `${recordedOn.replaceAll('-', '/')}/${format}`
  const url = `/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${path}`
  const { statusCode, body } = await api.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${api.admin.token}` },
  })
  return method === 'GET' && statusCode === 200 ? body : statusCode
}

const folder = (...names: string[]) =>
  readdir(join(api.services.configuration.dataDir, 'recordings', ...names), { recursive: true }).catch(() => [])

const listFiles = async ({ account_sid }: Named) => (await folder(account_sid)).filter((name) => name.endsWith('.mp3'))
const listQueueEntries = async ({ account_sid }: Named) =>
  (await folder('waiting')).filter((name) => name.startsWith(account_sid))
const inS3 = ({ call_sid }: Named) => [...s3.objects.keys()].some((name) => name.includes(call_sid))
const getKey = ({ call_sid }: Named) => `2026/05/01/${call_sid}.mp3`

test.each(['refuses', 'is away'] as const)(
  'a storage that %s and then is well gets the recording, and the file goes',
  async (how) => {
    const of = await waiting(how === 'refuses' ? refused() : away())
    await pass(of.uploader)
    expect(await ask(of)).toBe('of a call')
    await store(of.account_sid, s3.credential)
    await pass(of.uploader)
    expect(inS3(of)).toBe(false)
    clock += minute
    await pass(of.uploader)
    expect([inS3(of), await listFiles(of), await listQueueEntries(of)]).toEqual([true, [], []])
    expect(await ask(of)).toBe('of a call')
    expect(await ask(of, 'DELETE')).toBe(204)
    expect([inS3(of), await ask(of)]).toEqual([false, 404])
  },
)

test('an account is retried after one, two, and four minutes, up to an hour, and each failure is logged once', async () => {
  const of = await waiting(refused())
  for (let more = 0; more < 3; more += 1) await record(of.server, of.account_sid, randomUUID(), 'another')
  lost.length = 0
  const other = await waiting(refused())
  await store(other.account_sid, s3.credential)
  expect(inS3(other)).toBe(false)
  await pass(of.uploader)
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(lost).toMatchObject([{ waiting_recordings: 4, retry_minutes: minutes }])
    clock += minutes * minute - 1
    await pass(of.uploader)
    expect(lost).toHaveLength(1)
    clock += 1
    lost.length = 0
    await pass(of.uploader)
  }
  expect(inS3(other)).toBe(true)
  await store(of.account_sid, s3.credential)
  clock += 60 * minute
  await pass(of.uploader)
  expect([await listFiles(of), await listQueueEntries(of)]).toEqual([[], []])
})

test('after a restart, a recording is uploaded by one of two processes', async () => {
  const of = await waiting(refused())
  await pass(of.uploader)
  await store(of.account_sid, google.credential)
  of.uploader.stop()
  const [one, two] = [start(), start()]
  await Promise.all([pass(one.uploader), pass(two.uploader)])
  expect(await listFiles(of)).toHaveLength(1)
  of.uploader.release()
  google.requests.length = 0
  await Promise.all([pass(one.uploader), pass(two.uploader)])
  expect(google.objects.get(getKey(of))?.content.toString()).toBe('of a call')
  expect(google.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
  expect([await listFiles(of), await listQueueEntries(of)]).toEqual([[], []])
})

test('a recording deleted while it waits is deleted permanently, even if the storage already has it', async () => {
  const of = await waiting(google.credential)
  await pass(of.uploader)
  of.uploader.release()
  expect(google.objects.has(getKey(of))).toBe(true)
  await store(of.account_sid, refused())
  await record(of.server, of.account_sid, of.call_sid, 'of the same call')
  await store(of.account_sid, google.credential)
  expect(await ask(of)).toBe('of a call')
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([await ask(of), await listFiles(of)]).toEqual([404, []])
  await pass(start().uploader)
  expect([google.objects.has(getKey(of)), await listQueueEntries(of), await ask(of)]).toEqual([false, [], 404])
})

/** Uses the fake S3 and the queue directly, without a server. */
const parts = async (account_sid: string) => {
  const { dataDir } = api.services.configuration
  const credential = { ...s3.credential, vendor: 's3_compatible' as const, tags: [] }
  return {
    pending: createPendingUploads(dataDir),
    running: createRunningUploads(),
    getFiles: (sid: string) => fileRecordings(dataDir, sid),
    bucket: bucketRecordings(await createObjectStorage(network()).open(credential), account_sid),
  }
}

test('a recording deleted after its upload has started is deleted permanently', async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, ...others } = await parts(of.account_sid)
  const upload: typeof bucket.upload = async (...args) => {
    await bucket.upload(...args)
    expect(inS3(of)).toBe(true)
    expect(await ask(of, 'DELETE')).toBe(204)
  }
  const onBackgroundError = (error: unknown) => {
    throw error
  }
  const uploader = createUploadScheduler({
    ...others,
    openStorage: () => Promise.resolve({ ...bucket, upload }),
    onBackgroundError,
  })
  uploaders.push(uploader)
  await pass(uploader)
  expect([await ask(of), await listFiles(of)]).toEqual([404, []])
  await pass(uploader)
  expect([inS3(of), await listQueueEntries(of), await ask(of)]).toEqual([false, [], 404])
})

/** Starts an upload with a library that ignores its abort signal. The upload completes when the test permits it. */
const abortedUpload = async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, ...others } = await parts(of.account_sid)
  const events = new EventEmitter()
  const [begun, canLand] = [once(events, 'begun'), once(events, 'land')]
  let uploading = Promise.resolve()
  const upload: typeof bucket.upload = (recorded) => {
    const land = async () => {
      const file = `${recorded.file}.read`
      await copyFile(recorded.file, file)
      events.emit('begun')
      await canLand
      await bucket.upload({ ...recorded, file }, AbortSignal.timeout(10_000))
    }
    uploading = land()
    return uploading
  }
  const options = { ...others, onBackgroundError: collectFailure, now: () => clock }
  const stopped = createUploadScheduler({ ...options, openStorage: () => Promise.resolve({ ...bucket, upload }) })
  await stopped.queueDue()
  await begun
  stopped.stop()
  await stopped.settled()
  stopped.release()
  const uploader = createUploadScheduler({ ...options, openStorage: () => Promise.resolve(bucket) })
  uploaders.push(uploader)
  return {
    ...of,
    uploader,
    land: () => {
      events.emit('land')
      return uploading
    },
  }
}

test('deleted while an aborted upload may still complete: the uploaded object is removed too', async () => {
  const of = await abortedUpload()
  expect(await ask(of, 'DELETE')).toBe(204)
  await pass(of.uploader)
  expect([inS3(of), (await listQueueEntries(of)).length, await ask(of)]).toEqual([false, 1, 404])
  await of.land()
  expect([inS3(of), await ask(of)]).toEqual([true, 404])
  await pass(of.uploader)
  expect([inS3(of), await listQueueEntries(of), await ask(of)]).toEqual([false, [], 404])
})

test('uploads nothing else of an account while an aborted upload may still complete, then keeps both recordings', async () => {
  const of = await abortedUpload()
  await record(of.server, of.account_sid, of.call_sid, 'the later one')
  await pass(of.uploader)
  expect(lost).toMatchObject([{ waiting_recordings: 2 }])
  expect([inS3(of), (await listQueueEntries(of)).length, await ask(of)]).toEqual([false, 2, 'of a call'])
  await of.land()
  clock += minute
  await pass(of.uploader)
  expect([await listFiles(of), await listQueueEntries(of), await ask(of)]).toEqual([[], [], 'of a call'])
  expect(await ask(of, 'GET', '2.mp3')).toBe('the later one')
})

test('a process that ended between the upload and the removal of the file: the next one removes it', async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, pending, getFiles } = await parts(of.account_sid)
  const [note] = (await pending.list()).filter(({ account_sid }) => account_sid === of.account_sid)
  const pendingNote = note && (await pending.read(note))
  if (note === undefined || pendingNote === undefined) throw new Error('nothing waits')
  const file = getFiles(of.account_sid).getPath(getKey(of))
  await bucket.upload({ ...pendingNote, file }, AbortSignal.timeout(10_000))
  expect(await pending.markUploaded(note)).toBe(true)
  await pass(of.uploader)
  expect([await listFiles(of), await listQueueEntries(of), await ask(of)]).toEqual([[], [], 'of a call'])
})

test('without a storage of the account, a recording stays a file and leaves the queue', async () => {
  const of = await waiting(refused())
  await api.test.database.db
    .updateTable('accounts')
    .set({ bucket_credential: null })
    .where('account_sid', '=', of.account_sid)
    .execute()
  await pass(of.uploader)
  expect([await ask(of), await listQueueEntries(of)]).toEqual(['of a call', []])
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([await ask(of), await listFiles(of)]).toEqual([404, []])
})

test('returns the first recording of a call while a later one waits for its upload', async () => {
  const of = await waiting(s3.credential)
  await pass(of.uploader)
  await record(of.server, of.account_sid, of.call_sid, 'the later one')
  expect([await listFiles(of), await ask(of)]).toEqual([[expect.anything()], 'of a call'])
  await record(of.server, of.account_sid, of.call_sid, 'of the next day', nextDay)
  expect(await ask(of)).toBe('of a call')
  expect(await ask(of, 'GET', 'mp3', nextDay)).toBe('of the next day')
  // A storage that does not respond does not hide local recordings.
  await store(of.account_sid, away())
  expect(await ask(of)).toBe('the later one')
})

test('deletes the first recording of a call together with a later one that waits', async () => {
  const of = await waiting(s3.credential)
  await pass(of.uploader)
  await record(of.server, of.account_sid, of.call_sid, 'the later one')
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([inS3(of), await listFiles(of), await ask(of)]).toEqual([false, [], 404])
  await pass(of.uploader)
  expect([inS3(of), await listQueueEntries(of), await ask(of)]).toEqual([false, [], 404])
})

test('keeps the first recording of a call and stores a later one separately', async () => {
  const of = await waiting(s3.credential)
  await pass(of.uploader)
  await record(of.server, of.account_sid, of.call_sid, 'the later one')
  await pass(of.uploader)
  expect([await listFiles(of), await listQueueEntries(of)]).toEqual([[], []])
  expect(await ask(of)).toBe('of a call')
  expect(await ask(of, 'GET', '2.mp3')).toBe('the later one')
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([inS3(of), await ask(of)]).toEqual([false, 404])
})

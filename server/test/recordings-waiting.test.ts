import { createServices } from '@patchbay/server/services'
import { createObjectStorage } from '@patchbay/server/platform/object-storage/object-storage'
import { bucketRecordings } from '@patchbay/server/platform/recordings/bucket-recordings'
import { fileRecordings, unfinishedFile } from '@patchbay/server/platform/recordings/file-recordings'
import { createUploader } from '@patchbay/server/platform/recordings/late-uploads'
import { createRecordings } from '@patchbay/server/platform/recordings/recordings'
import { createUploads } from '@patchbay/server/platform/recordings/uploads'
import { createWaitingNotes } from '@patchbay/server/platform/recordings/waiting'
import {
  type GoogleServer,
  loopbackNetwork,
  type S3Server,
  startGoogleServer,
  startS3Server,
} from '@patchbay/testkit/storages'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

/** Recordings that a storage did not take, on a clock of their own: what the next server on the same folder does. */

let api: TestApi
let s3: S3Server
let google: GoogleServer
let provider: string
let clock: number
let lost: string[]
let uploaders: ReturnType<TestApi['services']['uploader']>[]

const minute = 60_000
const day = '2026-05-01'

const network = () => ({ privateNetworks: [loopbackNetwork], googleOrigin: google.origin })

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

/** A process of its own on the same folder and database. */
const start = () => {
  const { configuration, database } = api.services
  const services = createServices({
    configuration: { ...configuration, outgoing: { ...configuration.outgoing, ...network() } },
    database,
    onLost: (_, what) => lost.push(what),
  })
  const uploader = services.uploader(() => clock)
  uploaders.push(uploader)
  return { recordings: services.recordings, uploader }
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
) => {
  const file = await unfinishedFile(api.services.configuration.dataDir)
  await writeFile(file, text)
  const name = { call_sid, day, format: 'mp3' } as const
  const metadata = { accountSid: account_sid, callSid: call_sid }
  await recordings.save({ account_sid, name, file, metadata }, AbortSignal.timeout(10_000))
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

const ask = async ({ account_sid, call_sid }: Named, method: 'GET' | 'DELETE' = 'GET') => {
  const url = `/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/mp3`
  const { statusCode, body } = await api.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${api.admin.token}` },
  })
  return method === 'GET' && statusCode === 200 ? body : statusCode
}

const folder = (...names: string[]) =>
  readdir(join(api.services.configuration.dataDir, 'recordings', ...names), { recursive: true }).catch(() => [])

const filesOf = async ({ account_sid }: Named) => (await folder(account_sid)).filter((name) => name.endsWith('.mp3'))
const notesOf = async ({ account_sid }: Named) =>
  (await folder('waiting')).filter((name) => name.startsWith(account_sid))
const inS3 = async ({ call_sid }: Named) => (await s3.objects()).some((name) => name.includes(call_sid))
const keyOf = ({ call_sid }: Named) => `2026/05/01/${call_sid}.mp3`

test.each(['refuses', 'is away'] as const)(
  'a storage that %s and then is well gets the recording, and the file goes',
  async (how) => {
    const of = await waiting(how === 'refuses' ? refused() : away())
    await of.uploader.pass()
    expect(await ask(of)).toBe('of a call')
    await store(of.account_sid, s3.credential)
    await of.uploader.pass()
    expect(await inS3(of)).toBe(false)
    clock += minute
    await of.uploader.pass()
    expect([await inS3(of), await filesOf(of), await notesOf(of)]).toEqual([true, [], []])
    expect(await ask(of)).toBe('of a call')
    expect(await ask(of, 'DELETE')).toBe(204)
    expect([await inS3(of), await ask(of)]).toEqual([false, 404])
  },
)

test('an account is tried after one minute, two, four, up to an hour, and each failure is told once', async () => {
  const of = await waiting(refused())
  for (let more = 0; more < 3; more += 1) await record(of.server, of.account_sid, randomUUID(), 'another')
  lost.length = 0
  const other = await waiting(refused())
  await store(other.account_sid, s3.credential)
  expect(await inS3(other)).toBe(false)
  await of.uploader.pass()
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(lost).toEqual([expect.stringContaining(`(4 recordings); it is tried again in ${minutes} minutes`)])
    clock += minutes * minute - 1
    await of.uploader.pass()
    expect(lost).toHaveLength(1)
    clock += 1
    lost.length = 0
    await of.uploader.pass()
  }
  expect(await inS3(other)).toBe(true)
  await store(of.account_sid, s3.credential)
  clock += 60 * minute
  await of.uploader.pass()
  expect([await filesOf(of), await notesOf(of)]).toEqual([[], []])
})

test('after a restart it is uploaded, by one of two', async () => {
  const of = await waiting(refused())
  await of.uploader.pass()
  await store(of.account_sid, google.credential)
  of.uploader.stop()
  const [one, two] = [start(), start()]
  await Promise.all([one.uploader.pass(), two.uploader.pass()])
  expect(await filesOf(of)).toHaveLength(1)
  of.uploader.release()
  google.requests.length = 0
  await Promise.all([one.uploader.pass(), two.uploader.pass()])
  expect(google.objects.get(keyOf(of))?.content.toString()).toBe('of a call')
  expect(google.requests.filter((request) => request.includes('/upload/'))).toHaveLength(1)
  expect([await filesOf(of), await notesOf(of)]).toEqual([[], []])
})

test('deleted while it waits, it is gone for good, also from a storage that has it nevertheless', async () => {
  const of = await waiting(google.credential)
  expect(google.objects.has(keyOf(of))).toBe(true)
  await store(of.account_sid, refused())
  await record(of.server, of.account_sid, of.call_sid, 'of the same call')
  await store(of.account_sid, google.credential)
  expect(await ask(of)).toBe('of the same call')
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([await ask(of), await filesOf(of)]).toEqual([404, []])
  await start().uploader.pass()
  expect([google.objects.has(keyOf(of)), await notesOf(of), await ask(of)]).toEqual([false, [], 404])
})

/** The fake of S3 by itself, and what waits, without a server around them. */
const parts = async () => {
  const { dataDir } = api.services.configuration
  const credential = { ...s3.credential, vendor: 's3_compatible' as const, tags: [] }
  return {
    notes: createWaitingNotes(dataDir),
    uploads: createUploads(),
    filesOf: (account_sid: string) => fileRecordings(dataDir, account_sid),
    bucket: bucketRecordings(await createObjectStorage(network()).open(credential)),
  }
}

test('deleted after its upload began, it is gone for good', async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, ...others } = await parts()
  const copy: typeof bucket.copy = async (...args) => {
    await bucket.copy(...args)
    expect(await ask(of, 'DELETE')).toBe(204)
  }
  const onLost = (error: unknown) => {
    throw error
  }
  const uploader = createUploader({ ...others, bucketOf: () => Promise.resolve({ ...bucket, copy }), onLost })
  uploaders.push(uploader)
  await uploader.pass()
  expect(await inS3(of)).toBe(true)
  expect([await ask(of), await filesOf(of)]).toEqual([404, []])
  await uploader.pass()
  expect([await inS3(of), await notesOf(of), await ask(of)]).toEqual([false, [], 404])
})

/** What waits, its upload begun by a library that does not listen when it is stopped: it lands once it is let. */
const stoppedUpload = async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, ...others } = await parts()
  const told = new EventEmitter()
  const [begun, mayLand] = [once(told, 'begun'), once(told, 'land')]
  let upload = Promise.resolve()
  const copy: typeof bucket.copy = (key, recorded) => {
    const land = async () => {
      const file = `${recorded.file}.read`
      await copyFile(recorded.file, file)
      told.emit('begun')
      await mayLand
      await bucket.copy(key, { ...recorded, file }, AbortSignal.timeout(10_000))
    }
    upload = land()
    return upload
  }
  const options = { ...others, onLost: (_: unknown, what: string) => lost.push(what) }
  const stopped = createUploader({ ...options, bucketOf: () => Promise.resolve({ ...bucket, copy }) })
  const pass = stopped.pass()
  await begun
  stopped.stop()
  await pass
  stopped.release()
  const listening = { ...options, bucketOf: () => Promise.resolve(bucket) }
  const uploader = createUploader(listening)
  uploaders.push(uploader)
  const recordings = createRecordings({ ...listening, waiting: others.notes, forget: () => Promise.resolve() })
  return {
    ...of,
    uploader,
    recordings,
    land: () => {
      told.emit('land')
      return upload
    },
  }
}

test('deleted while an upload that was stopped may still land: what lands goes too', async () => {
  const of = await stoppedUpload()
  expect(await ask(of, 'DELETE')).toBe(204)
  await of.uploader.pass()
  expect([await inS3(of), (await notesOf(of)).length, await ask(of)]).toEqual([false, 1, 404])
  await of.land()
  expect([await inS3(of), await ask(of)]).toEqual([true, 404])
  await of.uploader.pass()
  expect([await inS3(of), await notesOf(of), await ask(of)]).toEqual([false, [], 404])
})

test('recorded again while an upload that was stopped may still land: the later recording stays', async () => {
  const of = await stoppedUpload()
  await record(of, of.account_sid, of.call_sid, 'the later one')
  expect(lost).toEqual([expect.stringContaining('is kept as a file until it does')])
  await of.uploader.pass()
  expect([await inS3(of), (await notesOf(of)).length, await ask(of)]).toEqual([false, 1, 'the later one'])
  await of.land()
  await of.uploader.pass()
  expect([await filesOf(of), await notesOf(of), await ask(of)]).toEqual([[], [], 'the later one'])
})

test('a process that ended between the upload and the removal of the file: the next one removes it', async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  const { bucket, notes, filesOf: placeOf } = await parts()
  const [note] = (await notes.all()).filter(({ account_sid }) => account_sid === of.account_sid)
  const said = note && (await notes.read(note))
  if (note === undefined || said === undefined) throw new Error('nothing waits')
  const file = placeOf(of.account_sid).pathOf(keyOf(of))
  await bucket.copy(keyOf(of), { ...said, file }, AbortSignal.timeout(10_000))
  expect(await notes.uploaded(note)).toBe(true)
  await of.uploader.pass()
  expect([await filesOf(of), await notesOf(of), await ask(of)]).toEqual([[], [], 'of a call'])
})

test('without a storage of the account it stays a file, and waits no more', async () => {
  const of = await waiting(refused())
  await api.test.database.db
    .updateTable('accounts')
    .set({ bucket_credential: null })
    .where('account_sid', '=', of.account_sid)
    .execute()
  await of.uploader.pass()
  expect([await ask(of), await notesOf(of)]).toEqual(['of a call', []])
  expect(await ask(of, 'DELETE')).toBe(204)
  expect([await ask(of), await filesOf(of)]).toEqual([404, []])
})

test('a later recording of the same call that the storage takes drops the one that waits', async () => {
  const of = await waiting(refused())
  await store(of.account_sid, s3.credential)
  await record(of.server, of.account_sid, of.call_sid, 'the later one')
  expect([await filesOf(of), await notesOf(of)]).toEqual([[], []])
  await of.uploader.pass()
  expect(await ask(of)).toBe('the later one')
})

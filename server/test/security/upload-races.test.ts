import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bucket } from '@patchbay/server/adapters/object-storage/bucket'
import { createObjectStorage, type ObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { createServices } from '@patchbay/server/app/create-services'
import { connectExternalServices } from '@patchbay/server/app/external-services'
import { createUnfinishedPath } from '@patchbay/server/call-data/recordings/file-recordings'
import { newRecordingId } from '@patchbay/server/call-data/recordings/recording-names'
import { type AzureServer, startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { type S3Server, startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Processes with separate data folders that concurrently upload recordings of the same call to one bucket. */

let api: TestApi
let s3: S3Server
/** Servers that reject conditional uploads. */
let s3WithoutConditions: S3Server
let s3WithUnknownHeader: S3Server
let s3WithConflict: S3Server
let google: GoogleServer
let azure: AzureServer
let provider: string

beforeAll(async () => {
  ;[s3, s3WithoutConditions, s3WithUnknownHeader, s3WithConflict, google, azure] = await Promise.all([
    startS3Server(),
    startS3Server({ status: 501, code: 'NotImplemented' }),
    startS3Server({ status: 400, code: 'InvalidArgument' }),
    startS3Server({ status: 409, code: 'ConditionalRequestConflict' }),
    startGoogleServer(),
    startAzureServer(),
  ])
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, { objectStorage: storage() })
  provider = await api.provider()
})
afterAll(async () => {
  await api.close()
  await Promise.all([s3, s3WithoutConditions, s3WithUnknownHeader, s3WithConflict, google, azure].map((x) => x.stop()))
})

const storage = () =>
  createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses: google.vendorAddresses })

const accountWith = async (bucket_credential: object): Promise<string> => {
  const account_sid = await api.account(provider, { record_format: 'wav' })
  expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)
  return account_sid
}

/** Returns a function that resolves when it has been called `count` times. */
const createBarrier = (count: number): (() => Promise<void>) => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  let calls = 0
  return () => {
    calls += 1
    if (calls >= count) open()
    return opened
  }
}

/** Wraps a storage so that uploads wait until all processes have checked their key. */
const uploadingAfter = (barrier: () => Promise<void>): ObjectStorage => {
  const real = storage()
  return {
    async open(...args) {
      const bucket = await real.open(...args)
      const upload: Bucket['upload'] = async (key, file, signal) => {
        await barrier()
        return bucket.upload(key, file, signal)
      }
      return { ...bucket, upload }
    },
  }
}

const startProcess = async (objectStorage: ObjectStorage) => {
  const { configuration, database } = api.services
  const dataDir = join(configuration.dataDir, `process-${randomUUID()}`)
  await mkdir(dataDir, { recursive: true })
  const errors: unknown[] = []
  const services = createServices({
    configuration: { ...configuration, dataDir },
    database,
    externalServices: { ...(await connectExternalServices(configuration, api.app.log)), objectStorage },
    onBackgroundError: (error) => errors.push(error),
  })
  const uploads = services.createUploadScheduler()
  return {
    errors,
    async store(account_sid: string, call_sid: string, text: string) {
      const file = await createUnfinishedPath(dataDir)
      await writeFile(file, text)
      const name = { call_sid, day: '2026-05-01', format: 'wav' } as const
      await services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: newRecordingId() })
    },
    async upload() {
      await uploads.queueDue()
      await uploads.settled()
    },
    release: () => uploads.release(),
    async waiting(account_sid: string) {
      const names = await readdir(join(dataDir, 'recordings', 'waiting'))
      return names.filter((name) => name.startsWith(account_sid))
    },
  }
}

const read = async (account_sid: string, call_sid: string, format: string) => {
  const path = `/v1/Accounts/${account_sid}/RecentCalls/${call_sid}/record/2026/05/01/${format}`
  const headers = { authorization: `Bearer ${api.admin.token}` }
  const { statusCode, body } = await api.app.inject({ method: 'GET', url: path, headers })
  return statusCode === 200 ? body : statusCode
}

describe('two processes that concurrently upload recordings of one call', () => {
  test.each(['s3', 'google', 'azure'] as const)('keep both recordings in %s', async (vendor) => {
    const account_sid = await accountWith({ s3, google, azure }[vendor].credential)
    const call_sid = randomUUID()
    const objectStorage = uploadingAfter(createBarrier(2))
    const processes = await Promise.all([startProcess(objectStorage), startProcess(objectStorage)])
    await Promise.all(processes.map((process, nth) => process.store(account_sid, call_sid, `of process ${nth}`)))
    await Promise.all(processes.map((process) => process.upload()))
    const versions = [await read(account_sid, call_sid, 'wav'), await read(account_sid, call_sid, '2.wav')]
    expect(new Set(versions)).toEqual(new Set(['of process 0', 'of process 1']))
    for (const process of processes) {
      expect([process.errors, await process.waiting(account_sid)]).toEqual([[], []])
      process.release()
    }
  })
})

describe('S3-compatible servers', () => {
  const cases = {
    'respond 501 to conditional uploads': () => s3WithoutConditions,
    'respond 400 to conditional uploads': () => s3WithUnknownHeader,
  }
  test.each(Object.keys(cases) as (keyof typeof cases)[])('that %s get unconditional uploads', async (name) => {
    const account_sid = await accountWith(cases[name]().credential)
    const process = await startProcess(storage())
    const calls = [randomUUID(), randomUUID()]
    for (const call_sid of calls) await process.store(account_sid, call_sid, `of ${call_sid}`)
    await process.upload()
    process.release()
    expect([process.errors, await process.waiting(account_sid)]).toEqual([[], []])
    for (const call_sid of calls) expect(await read(account_sid, call_sid, 'wav')).toBe(`of ${call_sid}`)
    // A single bucket instance uploads all due recordings of an account.
    expect(cases[name]().conditionalUploads()).toBe(1)
  })

  test('that respond with 409 to a conditional upload keep the recording in the queue, without a gap in its versions', async () => {
    const account_sid = await accountWith(s3WithConflict.credential)
    const process = await startProcess(storage())
    await process.store(account_sid, randomUUID(), 'of a call')
    await process.upload()
    process.release()
    expect(await process.waiting(account_sid)).toHaveLength(1)
    expect(process.errors).toEqual([expect.objectContaining({ name: 'ObjectExistsError' })])
    expect([...s3WithConflict.objects.keys()]).toEqual([])
  })
})

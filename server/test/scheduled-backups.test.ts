import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBackupTarget } from '@patchbay/server/backup/check-target'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { readBackup } from '@patchbay/server/backup/open-backup'
import { openBackupFile } from '@patchbay/server/backup/open-backup-file'
import { restoreBackup } from '@patchbay/server/backup/restore-backup'
import { claimBackup, listBackups, readBackupStatus } from '@patchbay/server/backup/scheduled/backup-list'
import type { WriteBackup } from '@patchbay/server/backup/scheduled/backup-process'
import { createScheduledBackups } from '@patchbay/server/backup/scheduled/scheduled-backups'
import { type BackupStorageSettings, parseBackupTarget } from '@patchbay/server/config/settings/backup-target'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import { startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { createTestDatabase, isMysql, type TestDatabase } from '@patchbay/testkit/test-database'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** The job that writes backups by a schedule, with a clock of the test, in folders and in fakes of object storages. */

const start = Date.parse('2026-11-26T10:00:00Z')
const minute = 60_000
const day = 24 * 60 * minute

let data: TestDatabase
let folder: string
let target: string
let clock: number
const reported: string[] = []

beforeEach(async () => {
  data = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'patchbay-scheduled-'))
  target = join(folder, 'target')
  mkdirSync(target)
  clock = start
  reported.length = 0
})
afterEach(async () => {
  await data.drop()
  rmSync(folder, { recursive: true })
})

const getLocation = (): StorageLocation => ({
  dataDir: join(folder, 'data'),
  database: isMysql ? { engine: 'mysql', url: data.address, connections: 2 } : { engine: 'sqlite', file: data.address },
})

interface JobOptions {
  to?: string
  storage?: BackupStorageSettings
  vendorAddresses?: Readonly<Record<string, string>>
  keep?: number
  keepDays?: number
  writeBackup?: WriteBackup
  heartbeatMs?: number
}

/** Creates the job of a process, which writes and verifies backups like the command does. */
const createJob = ({ to = target, storage = {}, vendorAddresses = {}, ...options }: JobOptions = {}) => {
  const { keep = 2, keepDays = 0, heartbeatMs } = options
  const write: WriteBackup = async (url) => {
    const file = await openBackupFile(parseBackupTarget(url, storage), vendorAddresses)
    const { bytes } = await createBackup({ location: getLocation(), file, withSecrets: false })
    await readBackup(file, () => Promise.resolve(undefined))
    return bytes
  }
  return createScheduledBackups({
    database: data.database,
    settings: { target: parseBackupTarget(to, storage), schedule: '0 2 * * *', timeZone: 'UTC', keep, keepDays },
    vendorAddresses,
    writeBackup: options.writeBackup ?? write,
    onBackgroundError: (_error, message) => reported.push(message),
    now: () => clock,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  })
}

const listFiles = () => readdirSync(target).toSorted()
const readStatus = () => readBackupStatus(data.database, clock)
const runAt = (job: ReturnType<typeof createJob>, time: number) => {
  clock = time
  return job.runDue()
}

test('writes a backup at the first start, and then by the schedule, which it makes up for after a break', async () => {
  const job = createJob()
  await job.runDue()
  expect(listFiles()).toEqual([expect.stringMatching(/^patchbay-2026-11-26T10-00-00Z-[\da-f]{8}\.backup$/)])
  expect(await readStatus()).toMatchObject({
    last: { startedAt: start, size: expect.any(Number) },
    isRunning: false,
    failures: 0,
    dueAt: Date.parse('2026-11-27T02:00:00Z'),
  })
  await runAt(job, Date.parse('2026-11-27T01:59:59Z'))
  expect(listFiles()).toHaveLength(1)
  await runAt(job, Date.parse('2026-11-27T02:00:00Z'))
  expect(listFiles()).toHaveLength(2)
  // Three runs were missed, and one backup has the state of now.
  await runAt(createJob(), Date.parse('2026-11-30T15:00:00Z'))
  await runAt(createJob(), Date.parse('2026-11-30T15:01:00Z'))
  expect((await listBackups(data.database, target)).map(({ started_at }) => started_at)).toEqual([
    Date.parse('2026-11-30T15:00:00Z'),
    Date.parse('2026-11-27T02:00:00Z'),
  ])
})

test('deletes only its own old backups, and none before the new one is verified', async () => {
  writeFileSync(join(target, 'patchbay-2020-01-01T00-00-00Z-00000000.backup'), 'of another installation')
  writeFileSync(join(target, 'notes.txt'), 'of the operator')
  for (let nth = 0; nth < 4; nth += 1) await runAt(createJob(), start + nth * day)
  const remaining = listFiles()
  expect(remaining).toHaveLength(4)
  expect(remaining.filter((name) => name.includes('2026'))).toEqual([
    expect.stringContaining('2026-11-28'),
    expect.stringContaining('2026-11-29'),
  ])
  clock = start + 4 * day
  const fails = createJob({ writeBackup: () => Promise.reject(new Error('the backup is damaged')) })
  await expect(fails.runDue()).rejects.toThrow('the backup is damaged')
  expect(listFiles()).toEqual(remaining)
})

test('keeps young backups in addition to the newest ones', async () => {
  for (let nth = 0; nth < 5; nth += 1) await runAt(createJob({ keep: 1, keepDays: 3 }), start + nth * day)
  expect(listFiles().map((name) => name.slice(9, 19))).toEqual(['2026-11-28', '2026-11-29', '2026-11-30'])
})

test('several processes write one backup', async () => {
  await Promise.all(Array.from({ length: 5 }, () => createJob().runDue()))
  expect(listFiles()).toHaveLength(1)
  expect(await listBackups(data.database, target)).toHaveLength(1)
})

test('repeats a failed backup after five minutes, and later each time', async () => {
  const job = createJob()
  rmSync(target, { recursive: true })
  const fail = (time: number) => expect(runAt(job, time)).rejects.toThrow('it does not exist')
  await fail(start)
  await runAt(job, start + 4 * minute)
  await fail(start + 5 * minute)
  await runAt(job, start + 14 * minute)
  await fail(start + 15 * minute)
  expect(await readStatus()).toMatchObject({ last: null, failures: 3, dueAt: start })
  expect((await readStatus()).failureReason).toContain(`${target}/patchbay-2026-11-26T10-15-00Z`)
  mkdirSync(target)
  await runAt(job, start + 35 * minute)
  expect(await readStatus()).toMatchObject({ failures: 0, failureReason: null, isRunning: false })
  expect(listFiles()).toHaveLength(1)
  // The folder could not be read when the first ones failed, so their files were looked for again.
  expect((await listBackups(data.database, target)).filter(({ has_file }) => has_file)).toHaveLength(1)
  expect(new Set(reported)).toEqual(new Set(['old backups could not be deleted; retrying after the next backup']))
})

test('removes what a process has left that was killed, and writes the backup again', async () => {
  const name = 'patchbay-2026-11-26T10-00-00Z-0123abcd.backup'
  const getNext = () => start
  expect(await claimBackup(data.database, { name, target, getNext }, start)).toBe(true)
  writeFileSync(join(target, `${name}.4711.partial`), 'half')
  writeFileSync(join(target, name), 'not verified')
  await runAt(createJob(), start + minute / 2)
  expect(await readStatus()).toMatchObject({ isRunning: true, failures: 0 })
  await runAt(createJob(), start + 2 * minute)
  expect(await readStatus()).toMatchObject({ isRunning: false, failures: 1 })
  await runAt(createJob(), start + 7 * minute)
  expect(listFiles()).toEqual([expect.stringContaining('2026-11-26T10-07-00Z')])
  const [, failed] = await listBackups(data.database, target)
  expect(failed).toMatchObject({ name, state: 'failed', has_file: 0, reason: expect.stringContaining('ended before') })
})

test('gives up a backup whose process ended before the clock was set back', async () => {
  const name = 'patchbay-2026-11-26T10-00-00Z-0123abcd.backup'
  expect(await claimBackup(data.database, { name, target, getNext: () => start }, start)).toBe(true)
  await runAt(createJob(), start - 4 * minute)
  expect(await readStatus()).toMatchObject({ isRunning: true })
  await runAt(createJob(), start - day)
  expect((await listBackups(data.database, target)).find((one) => one.name === name)).toMatchObject({ state: 'failed' })
  expect(listFiles()).toHaveLength(1)
})

test('ends a backup that another process has given up, and leaves its result alone', async () => {
  let wasAborted = false
  const writeBackup: WriteBackup = (_place, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        wasAborted = true
        reject(new Error('aborted'))
      })
      // The process was suspended for longer than others wait.
      void data.database.db.updateTable('patchbay_backups').set({ state: 'failed', reason: 'given up' }).execute()
    })
  await expect(createJob({ writeBackup, heartbeatMs: 5 }).runDue()).rejects.toThrow('aborted')
  expect(wasAborted).toBe(true)
  expect(await listBackups(data.database, target)).toEqual([
    expect.objectContaining({ state: 'failed', reason: 'given up', has_file: 0 }),
  ])
})

test('a shutdown ends a running backup, which the next start repeats immediately', async () => {
  let job: ReturnType<typeof createJob> | undefined
  const writeBackup: WriteBackup = (url, signal) => {
    writeFileSync(`${url}.12.partial`, 'half')
    job?.stop()
    return Promise.reject(signal.reason as Error)
  }
  job = createJob({ writeBackup })
  await job.runDue()
  expect(listFiles()).toEqual([])
  await createJob().runDue()
  expect(listFiles()).toHaveLength(1)
})

test('writes backups although the clock was once years ahead', async () => {
  await runAt(createJob(), start + 4000 * day)
  await runAt(createJob(), start)
  await runAt(createJob(), start + day)
  expect(listFiles().map((name) => name.slice(9, 13))).toContain('2026')
  expect((await listBackups(data.database, target)).map(({ started_at }) => started_at)).toContain(start + day)
})

test('a restored installation does not know the backups of the original', async () => {
  await createJob().runDue()
  const [name = ''] = listFiles()
  const restored = join(folder, 'restored')
  const file = join(restored, 'patchbay.sqlite')
  const location: StorageLocation = { dataDir: restored, database: { engine: 'sqlite', file } }
  const options = { file: openLocalFile(join(target, name)), getPassphrase: () => Promise.resolve(undefined) }
  const { header } = await restoreBackup({ location, ...options })
  expect(header.tables.map((table) => table.name)).not.toContain('patchbay_backups')
  expect(header.leftOut).toEqual([])
  const database = openDatabase({ engine: 'sqlite', file }, sqliteReader)
  expect(await listBackups(database, target)).toEqual([])
  await database.close()
})

test('the check of a target says whether a folder can be used', async () => {
  const check = (path: string) => checkBackupTarget(parseBackupTarget(path, {}), {})
  expect(await check(target)).toBe('The folder is writable.')
  await expect(check(join(folder, 'missing'))).rejects.toThrow('missing: it does not exist.')
  const file = join(target, 'file')
  writeFileSync(file, '')
  await expect(check(file)).rejects.toThrow('file: it is not a folder.')
  expect(listFiles()).toEqual(['file'])
})

interface Storage {
  to: string
  storage: BackupStorageSettings
  vendorAddresses?: Readonly<Record<string, string>>
  secret: string
  countObjects(): number
  /** Makes requests fail until the next call. */
  breakDown(): void
  stop(): Promise<void>
}

const startS3 = async (): Promise<Storage> => {
  const server = await startS3Server()
  const { endpoint, name, access_key_id, secret_access_key } = server.credential
  const storage = {
    BACKUP_S3_ENDPOINT: endpoint,
    BACKUP_S3_ACCESS_KEY_ID: access_key_id,
    BACKUP_S3_SECRET_ACCESS_KEY: secret_access_key,
  }
  return {
    to: `s3://${name}/nightly`,
    storage,
    secret: 'a wrong secret',
    countObjects: () => server.objects.size,
    breakDown: () => (storage.BACKUP_S3_SECRET_ACCESS_KEY = 'a wrong secret'),
    stop: () => server.stop(),
  }
}

const startAzure = async (): Promise<Storage> => {
  const server = await startAzureServer()
  const { name, connection_string } = server.credential
  return {
    to: `azure://${name}/nightly/`,
    storage: { BACKUP_AZURE_CONNECTION_STRING: connection_string },
    secret: connection_string,
    countObjects: () => server.objects.size,
    breakDown: () => server.failures.push(...Array.from({ length: 50 }, () => 403)),
    stop: () => server.stop(),
  }
}

const startGoogle = async (): Promise<Storage> => {
  const server = await startGoogleServer()
  return {
    to: `gs://${server.credential.name}`,
    storage: { BACKUP_GOOGLE_SERVICE_KEY: server.credential.service_key },
    vendorAddresses: server.vendorAddresses,
    secret: 'PRIVATE KEY',
    countObjects: () => server.objects.size,
    breakDown: () => server.failures.push(...Array.from({ length: 50 }, () => 403)),
    stop: () => server.stop(),
  }
}

describe.each([
  ['Amazon S3', startS3],
  ['Azure Blob Storage', startAzure],
  ['Google Cloud Storage', startGoogle],
])('in %s', (_name, startStorage) => {
  let storage: Storage
  beforeEach(async () => {
    storage = await startStorage()
  })
  afterEach(() => storage.stop())

  test('writes, verifies, and deletes backups, and names the reason of a failure without a secret', async () => {
    for (let nth = 0; nth < 3; nth += 1) await runAt(createJob(storage), start + nth * day)
    expect(storage.countObjects()).toBe(2)
    const [newest] = await listBackups(data.database, storage.to)
    expect(newest).toMatchObject({ state: 'verified', size: expect.any(Number) })
    const checkTarget = () =>
      checkBackupTarget(parseBackupTarget(storage.to, storage.storage), storage.vendorAddresses ?? {})
    expect(await checkTarget()).toBe('The storage accepts the credentials.')
    storage.breakDown()
    await expect(checkTarget()).rejects.toThrow('The backup cannot be read')
    await expect(runAt(createJob(storage), start + 3 * day)).rejects.toThrow(/^The backup cannot be/)
    expect(storage.countObjects()).toBe(2)
    const { failures, failureReason } = await readStatus()
    expect([failures, failureReason?.includes(storage.secret)]).toEqual([1, false])
  })
})

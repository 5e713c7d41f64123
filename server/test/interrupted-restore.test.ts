import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { lockFolder } from '@patchbay/server/backup/folder-lock'
import { discardInterruptedRestore } from '@patchbay/server/backup/interrupted-restore'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { readBackup } from '@patchbay/server/backup/open-backup'
import { createSqliteTarget } from '@patchbay/server/backup/sqlite-restore'
import { createStaging } from '@patchbay/server/backup/staged-files'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { beforeAll, expect, test } from 'vitest'
import { createLocations, createSchema, restore } from './backup-locations.ts'

/**
 * A restore that is killed after it has moved recordings to the data folder leaves them there. A later restore deletes
 * them only if no installation can use them.
 */

const locations = createLocations('patchbay-interrupted-')
const account = 'recordings/11111111-1111-4111-8111-111111111111'
const recording = `${account}/2026/05/01/call.mp3`
const secrets = '{"jwt":"a secret of the tests","encryption":"another secret of tests"}\n'

let file: string

const write = ({ dataDir }: StorageLocation, name: string, content: string): void => {
  mkdirSync(dirname(join(dataDir, name)), { recursive: true })
  writeFileSync(join(dataDir, name), content)
}

const read = ({ dataDir }: StorageLocation, name: string): string => readFileSync(join(dataDir, name), 'utf8')

const getStaging = ({ dataDir }: StorageLocation): string => join(dataDir, 'restore.partial')

beforeAll(async () => {
  const source = await locations.create()
  await createSchema(source.database)
  write(source, recording, 'recorded')
  write(source, 'secrets.json', secrets)
  file = locations.newFile()
  await createBackup({ location: source, file: openLocalFile(file), withSecrets: true })
})

/** Runs the steps of a restore until its files are moved. */
const interruptRestore = async (location: StorageLocation): Promise<void> => {
  const files = await createStaging(location)
  if (location.database.engine === 'sqlite') writeFileSync(files.getPath('patchbay.sqlite'), 'complete')
  await files.writeRecording(recording, [Buffer.from('recorded')])
  await files.writeSecrets(Buffer.from(secrets))
  await files.move()
  files.release()
}

const createInterrupted = async (): Promise<StorageLocation> => {
  const location = await locations.create()
  await interruptRestore(location)
  return location
}

/** Returns an empty database of the same data folder. On SQLite, the file was moved away. */
const emptyDatabase = async (location: StorageLocation): Promise<StorageLocation> => {
  const { database } = location
  if (database.engine === 'mysql') return { ...location, database: (await locations.create()).database }
  for (const name of readdirSync(location.dataDir))
    if (name.startsWith('patchbay.sqlite')) renameSync(join(location.dataDir, name), join(locations.newFolder(), name))
  return location
}

/** Returns the files of a data folder after a restore that was refused because of them. */
const readAfterRefusal = async (location: StorageLocation): Promise<string[]> => {
  await expect(restore(file, location)).rejects.toThrow(/into a folder without recordings only, and .* exists/)
  return [read(location, recording), read(location, 'secrets.json')]
}
const unchanged = ['recorded', secrets]

test('a restore that was killed before its commit can be repeated', async () => {
  const location = await createInterrupted()
  expect(existsSync(join(location.dataDir, recording))).toBe(true)
  await restore(file, location)
  expect(read(location, recording)).toBe('recorded')
  expect(existsSync(getStaging(location))).toBe(false)
})

test('a repeated restore of another backup removes only the recordings that the interrupted one has moved', async () => {
  const location = await createInterrupted()
  const other = await locations.create()
  await createSchema(other.database)
  const withoutRecordings = locations.newFile()
  await createBackup({ location: other, file: openLocalFile(withoutRecordings), withSecrets: false })
  await restore(withoutRecordings, location)
  expect(existsSync(join(location.dataDir, 'recordings'))).toBe(false)
  expect(read(location, 'secrets.json')).toBe(secrets)
})

test('a restore keeps the recordings of an interrupted one if the folder was used since', async () => {
  const location = await createInterrupted()
  write(location, `${account}/2026/05/02/call.mp3`, 'new')
  expect(await readAfterRefusal(location)).toEqual(unchanged)
  expect(read(location, `${account}/2026/05/02/call.mp3`)).toBe('new')
  // The second attempt has no staging folder to decide by.
  expect(await readAfterRefusal(location)).toEqual(unchanged)
})

test('a restore keeps the recordings of one that was committed, although it was killed afterwards', async () => {
  const location = await createInterrupted()
  if (location.database.engine === 'sqlite')
    renameSync(join(getStaging(location), 'patchbay.sqlite'), location.database.file)
  expect(await readAfterRefusal(await emptyDatabase(location))).toEqual(unchanged)
})

test('a restore keeps other recordings that have taken the place of the moved ones', async () => {
  const location = await createInterrupted()
  const { dataDir } = location
  renameSync(join(dataDir, 'recordings'), join(dataDir, 'old'))
  write(location, recording, 'recorded')
  expect(await readAfterRefusal(location)).toEqual(unchanged)
  expect(existsSync(join(dataDir, 'old'))).toBe(true)
})

test.each([
  ['of an earlier version', '["secrets.json","recordings"]'],
  ['that is incomplete', '{"database":'],
])('a restore keeps all files if it finds a note %s', async (_what, note) => {
  const location = await createInterrupted()
  writeFileSync(join(getStaging(location), 'moved.json'), note)
  expect(await readAfterRefusal(location)).toEqual(unchanged)
})

test('a restore that is refused because the database is used leaves nothing by which another one deletes recordings', async () => {
  const location = await createInterrupted()
  await createSchema(location.database)
  await expect(restore(file, location)).rejects.toThrow('into an empty database only')
  expect(existsSync(getStaging(location))).toBe(false)
  expect(await readAfterRefusal(await emptyDatabase(location))).toEqual(unchanged)
})

test('a server discards what an interrupted restore has left, but not the folder of a running one', async () => {
  const location = await createInterrupted()
  const release = lockFolder(getStaging(location))
  await discardInterruptedRestore(location.dataDir)
  expect(existsSync(join(getStaging(location), 'moved.json'))).toBe(true)
  release?.()
  await discardInterruptedRestore(location.dataDir)
  expect(existsSync(getStaging(location))).toBe(false)
  expect(await readAfterRefusal(location)).toEqual(unchanged)
})

test('a restore deletes no recordings that were stored while it read the backup', async () => {
  const location = await locations.create()
  const files = await createStaging(location)
  await files.writeRecording(recording, [Buffer.from('restored')])
  write(location, recording, 'recorded')
  await expect(files.move()).rejects.toThrow(/without recordings only/)
  await files.moveBack()
  await files.remove()
  expect(read(location, recording)).toBe('recorded')
})

test('a restore replaces neither the secrets nor the database of a server that was started meanwhile', async () => {
  const location = locations.createSqlite()
  const files = await createStaging(location)
  await files.writeSecrets(Buffer.from(secrets))
  write(location, 'secrets.json', 'of the server')
  await expect(files.move()).rejects.toThrow('secrets.json: it exists already')
  expect(read(location, 'secrets.json')).toBe('of the server')
  const { header } = await readBackup(openLocalFile(file), () => Promise.resolve(undefined))
  const database = join(location.dataDir, 'patchbay.sqlite')
  const target = await createSqliteTarget(header, files.getPath('patchbay.sqlite'), database)
  const startServer = () => Promise.resolve(write(location, 'patchbay.sqlite', 'of the server'))
  await expect(target.commit(startServer)).rejects.toThrow('was created meanwhile')
  expect(read(location, 'patchbay.sqlite')).toBe('of the server')
  await files.remove()
})

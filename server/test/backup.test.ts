import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { lockFolder } from '@patchbay/server/backup/folder-lock'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { readBackup } from '@patchbay/server/backup/open-backup'
import { archiveEnd, blockBytes, countPadding, encodeTarHeader } from '@patchbay/server/backup/tar-format'
import { toTokenPhrases } from '@patchbay/server/call-data/conversations/index-search'
import { findTranscripts } from '@patchbay/server/call-data/conversations/transcript-index'
import { indexVersions } from '@patchbay/server/call-data/conversations/transcript-tokens'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { createTables } from '@patchbay/server/database/ddl'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { gzipJson } from '@patchbay/server/database/gzip-json'
import { createSchema as createSchemaUntil, migrate } from '@patchbay/server/database/migrations'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { encryptFormat1 } from '@patchbay/testkit/crash/encrypt-format-1'
import { collect, inPieces } from '@patchbay/testkit/crash/encrypted-chunks'
import { isMysql } from '@patchbay/testkit/test-database'
import mysql from 'mysql2/promise'
import { beforeAll, describe, expect, test } from 'vitest'
import { fillEveryTable, readEveryTable } from './backup-data.ts'
import { createLocations, createSchema, restore } from './backup-locations.ts'

/** Backups of filled databases, restored into databases of the same and of the other engine. */

const locations = createLocations('patchbay-backup-')
const { folder, newFolder, newFile } = locations

const recordings: Readonly<Record<string, Buffer>> = {
  [`recordings/${randomUUID()}/2026/05/01/${randomUUID()}.mp3`]: randomBytes(3_000_000),
  [`recordings/${randomUUID()}/2026/05/01/${randomUUID()}.2.wav`]: Buffer.alloc(0),
}
const secrets = '{"jwt":"a secret of the tests","encryption":"another secret of tests"}\n'

const writeFiles = (dataDir: string): void => {
  for (const [name, content] of Object.entries({ ...recordings, 'recordings/unfinished/part': Buffer.from('x') })) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true })
    writeFileSync(join(dataDir, name), content)
  }
  writeFileSync(join(dataDir, 'secrets.json'), secrets)
}

const none = () => Promise.resolve(undefined)
const passphrase = 'a passphrase of the tests'

let source: StorageLocation
let before: Record<string, string[]>
let plainFile: string

beforeAll(async () => {
  source = await locations.create()
  await createSchema(source.database)
  await fillEveryTable(source.database)
  writeFiles(source.dataDir)
  before = await readEveryTable(source.database)
  plainFile = newFile()
  await createBackup({ location: source, file: openLocalFile(plainFile), withSecrets: false })
})

/** Verifies that a restore has failed without leaving anything. */
const expectUntouched = async ({ dataDir, database }: StorageLocation): Promise<void> => {
  expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([])
  if (database.engine === 'sqlite') return
  const rows = existsInMysql(database.url)
  expect(await rows).toBe(0)
}

const existsInMysql = async (url: string): Promise<number> => {
  const connection = await mysql.createConnection(url)
  const [tables] = await connection.query<mysql.RowDataPacket[]>('SHOW TABLES')
  let count = 0
  for (const name of tables.map((row) => String(Object.values(row)[0]))) {
    if (name.startsWith('patchbay_migrations') || name === 'patchbay_settings') continue
    const [rows] = await connection.query<mysql.RowDataPacket[]>(`SELECT 1 FROM \`${name}\` LIMIT 1`)
    count += rows.length
  }
  await connection.end()
  return count
}

test('a restored database has every row, and the data folder every recording', async () => {
  expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([])
  const target = await locations.create()
  const { manifest } = await restore(plainFile, target)
  expect(await readEveryTable(target.database)).toEqual(before)
  for (const [name, content] of Object.entries(recordings))
    expect([name, readFileSync(join(target.dataDir, name)).equals(content)]).toEqual([name, true])
  expect(manifest).toMatchObject({ recordings: { files: 2, bytes: 3_000_000 }, hasSecrets: false })
  expect(existsSync(join(target.dataDir, 'recordings/unfinished'))).toBe(false)
  expect(existsSync(join(target.dataDir, 'secrets.json'))).toBe(false)
  expect(existsSync(join(target.dataDir, 'restore.partial'))).toBe(false)
  // The server opens it without any further migration.
  const database = openDatabase(target.database, sqliteReader)
  expect(await migrate(database)).toMatchObject({ adopted: false })
  await database.close()
})

test.runIf(isMysql)('a backup moves between the engines in both directions, exactly', async () => {
  const onSqlite = locations.createSqlite()
  await restore(plainFile, onSqlite)
  expect(await readEveryTable(onSqlite.database)).toEqual(before)
  const file = newFile()
  await createBackup({ location: onSqlite, file: openLocalFile(file), withSecrets: false })
  const onMysql = await locations.createMysql()
  await restore(file, onMysql)
  expect(await readEveryTable(onMysql.database)).toEqual(before)
})

test('an encrypted backup contains the secrets, and needs its passphrase', async () => {
  const file = newFile()
  await createBackup({ location: source, file: openLocalFile(file), passphrase, withSecrets: true })
  expect(readFileSync(file).includes('accounts')).toBe(false)
  const target = await locations.create()
  await expect(restore(file, target)).rejects.toThrow('is encrypted. Set BACKUP_PASSPHRASE')
  await expect(restore(file, target, 'another passphrase')).rejects.toThrow('The passphrase is wrong')
  await expectUntouched(target)
  await restore(file, target, passphrase)
  expect(await readEveryTable(target.database)).toEqual(before)
  expect(readFileSync(join(target.dataDir, 'secrets.json'), 'utf8')).toBe(secrets)
})

/** Returns a backup as versions wrote it that had format 1. */
const toFormat1 = (backup: Buffer): Buffer => {
  const bytes = Buffer.from(backup)
  bytes.write('"format": 1', bytes.indexOf('"format": 2'), 'latin1')
  // The last entry is the checksum of all bytes before it.
  const end = bytes.length - archiveEnd.length - 2 * blockBytes
  bytes.write(createHash('sha256').update(bytes.subarray(0, end)).digest('hex'), end + blockBytes, 'latin1')
  return bytes
}

test('a backup of format 1 is restored, also if it is encrypted', async () => {
  const file = newFile()
  const bytes = toFormat1(readFileSync(plainFile))
  writeFileSync(file, bytes)
  const target = await locations.create()
  expect((await restore(file, target)).header.format).toBe(1)
  expect(await readEveryTable(target.database)).toEqual(before)
  const encrypted = newFile()
  writeFileSync(encrypted, await collect(encryptFormat1(inPieces(bytes), passphrase, 2 ** 17)))
  const other = await locations.create()
  await expect(restore(encrypted, other)).rejects.toThrow('is encrypted. Set BACKUP_PASSPHRASE')
  await expect(restore(encrypted, other, 'another passphrase')).rejects.toThrow('The passphrase is wrong')
  expect((await restore(encrypted, other, passphrase)).header.format).toBe(1)
  expect(await readEveryTable(other.database)).toEqual(before)
})

describe('a restore is refused', () => {
  test('if the database is not empty', async () => {
    await expect(restore(plainFile, source)).rejects.toThrow('A backup is restored into an empty database only')
    expect(await readEveryTable(source.database)).toEqual(before)
  })

  test('if there are recordings, which it does not change', async () => {
    const target = await locations.create()
    const file = join(target.dataDir, 'recordings', randomUUID(), 'call.mp3')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'kept')
    await expect(restore(plainFile, target)).rejects.toThrow(`${file} exists`)
    expect(readFileSync(file, 'utf8')).toBe('kept')
  })

  test.runIf(isMysql)('if the database contains a table of another program', async () => {
    const target = await locations.createMysql()
    const connection = await mysql.createConnection((target.database as { url: string }).url)
    await connection.query('CREATE TABLE invoices (id INT)')
    await expect(restore(plainFile, target)).rejects.toThrow('it contains the table invoices')
    await connection.end()
  })
})

test('a backup never replaces a file, and leaves none if it fails', async () => {
  const file = newFile()
  writeFileSync(file, 'kept')
  const options = { location: source, withSecrets: false }
  await expect(createBackup({ ...options, file: openLocalFile(file) })).rejects.toThrow('exists already')
  expect(readFileSync(file, 'utf8')).toBe('kept')
  const missing = join(folder, 'missing', 'file')
  await expect(createBackup({ ...options, file: openLocalFile(missing) })).rejects.toThrow(
    `${missing}: it does not exist`,
  )
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
})

test('two restores into one target cannot run at the same time', async () => {
  const target = await locations.create()
  const other = isMysql ? { ...target, dataDir: newFolder() } : target
  const results = await Promise.allSettled([restore(plainFile, target), restore(plainFile, other)])
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  expect(reasons).toEqual([expect.stringMatching(/Another restore into .* is running|is not empty|created meanwhile/)])
  expect(await readEveryTable(target.database)).toEqual(before)
})

test('a restore is refused while another one into the same data folder runs, and possible after its process', async () => {
  const target = await locations.create()
  const staging = join(target.dataDir, 'restore.partial')
  mkdirSync(staging, { recursive: true })
  const release = lockFolder(staging)
  writeFileSync(join(staging, 'file'), 'of the other restore')
  await expect(restore(plainFile, target)).rejects.toThrow(`Another restore into ${target.dataDir} is running`)
  expect(readFileSync(join(staging, 'file'), 'utf8')).toBe('of the other restore')
  release?.()
  await restore(plainFile, target)
  expect(await readEveryTable(target.database)).toEqual(before)
  expect(existsSync(staging)).toBe(false)
})

test('a backup removes the file of an interrupted one with the same name', async () => {
  const file = newFile()
  // No process has this id, which is above the limit of Linux.
  writeFileSync(`${file}.999999999.partial`, 'half')
  writeFileSync(`${file}.${process.ppid}.partial`, 'in progress')
  await createBackup({ location: source, file: openLocalFile(file), withSecrets: false })
  expect(readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.`))).toEqual([
    `${basename(file)}.${process.ppid}.partial`,
  ])
  rmSync(`${file}.${process.ppid}.partial`)
})

test('a backup is repeated after one of a process with the same id was killed, as in a container', async () => {
  const file = newFile()
  writeFileSync(`${file}.${process.pid}.partial`, 'half')
  await createBackup({ location: source, file: openLocalFile(file), withSecrets: false })
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(file)))).toEqual([basename(file)])
})

test('if a process writes several backups with one name, one is complete and the others are refused', async () => {
  const file = newFile()
  const write = () => createBackup({ location: source, file: openLocalFile(file), withSecrets: false })
  const results = await Promise.allSettled([write(), write(), write()])
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  expect(reasons).toEqual([expect.stringContaining('in progress'), expect.stringContaining('in progress')])
  await readBackup(openLocalFile(file), none)
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(file)))).toEqual([basename(file)])
})

test('a backup does not replace a file that another program creates while it is written', async () => {
  const file = newFile()
  const content = async function* () {
    yield Buffer.from('a backup')
    writeFileSync(file, 'of another program')
    await Promise.resolve()
  }
  await expect(openLocalFile(file).write(content())).rejects.toThrow(`${file}: it exists already`)
  expect(readFileSync(file, 'utf8')).toBe('of another program')
  expect(readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.`))).toEqual([])
})

describe('a damaged backup is found before anything is written', () => {
  const change = (bytes: Buffer, position: number): Buffer => {
    const changed = Buffer.from(bytes)
    changed[position] = (changed[position] ?? 0) ^ 1
    return changed
  }

  test('for a changed byte at any sampled position', async () => {
    const bytes = readFileSync(plainFile)
    const file = newFile()
    const step = Math.ceil(bytes.length / 60)
    const positions = [...Array.from({ length: 60 }, (_, nth) => nth * step), bytes.length - 600, bytes.length - 1]
    for (const position of positions) {
      writeFileSync(file, change(bytes, Math.min(position, bytes.length - 1)))
      await expect(readBackup(openLocalFile(file), none), `position ${position}`).rejects.toThrow(
        /The backup is damaged/,
      )
    }
  })

  test.each([
    ['a truncated file', (bytes: Buffer) => bytes.subarray(0, -700)],
    ['a file without its last block', (bytes: Buffer) => bytes.subarray(0, -512)],
    ['appended bytes', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(512)])],
    ['an empty file', () => Buffer.alloc(0)],
  ])('for %s', async (_what, damage) => {
    const file = newFile()
    writeFileSync(file, damage(readFileSync(plainFile)))
    const target = await locations.create()
    await expect(restore(file, target)).rejects.toThrow('The backup is damaged')
    await expectUntouched(target)
  })
})

test.each([
  ['a dump of a database', Buffer.from('-- MySQL dump 10.13\nCREATE TABLE accounts (account_sid CHAR(36));\n')],
  ['a long file', Buffer.from('{"not":"a backup"}'.repeat(100))],
])('%s is not called a damaged backup', async (_what, content) => {
  const file = newFile()
  writeFileSync(file, content)
  const target = await locations.create()
  await expect(restore(file, target)).rejects.toThrow(`${file} is not a backup of Patchbay. Nothing was changed.`)
  await expectUntouched(target)
})

describe('a hostile or newer backup is rejected before anything is written', () => {
  const header = {
    format: 1,
    program: '9.9.9',
    engine: 'sqlite',
    createdAt: '2026-11-26T00:00:00.000Z',
    isAdopted: false,
    migrations: ['2026-11-21-own-schema', '2026-11-21-platform-schema'],
    tables: [{ name: 'accounts', columns: ['account_sid'] }],
    leftOut: [],
  }
  type Entry = readonly [name: string, content: Buffer]
  const toEntry = (name: string, value: object): Entry => [name, Buffer.from(JSON.stringify(value))]

  /** Returns an archive with valid headers and checksums. */
  const createArchive = (entries: readonly Entry[]): Buffer => {
    const encode = ([name, content]: Entry) =>
      Buffer.concat([encodeTarHeader(name, content.length), content, Buffer.alloc(countPadding(content.length))])
    const archive = Buffer.concat(entries.map(encode))
    const sum = createHash('sha256').update(archive).digest('hex')
    return Buffer.concat([archive, encode(['sha256', Buffer.from(`${sum}\n`)]), archiveEnd])
  }

  const empty = createHash('sha256').digest('hex')
  const manifest = {
    tables: [{ name: 'accounts', parts: 0, rows: 0, sha256: empty }],
    recordings: { files: 0, bytes: 0, sha256: empty },
    hasSecrets: false,
  }
  const end = toEntry('manifest.json', manifest)
  const part = 'tables/accounts/000001.ndjson.gz'
  const x = Buffer.from('x')

  test.each<[string, Entry[], string]>([
    ['a path out of the data folder', [['recordings/../../outside', x]], 'is not a valid name'],
    ['an absolute path', [['/etc/cron.d/outside', x]], 'is in the place of manifest.json'],
    ['a hidden file', [['recordings/.bashrc', x]], 'is not a valid name'],
    [
      'a part that is too large after decompression',
      [[part, gzipSync(Buffer.alloc(2 ** 28))]],
      'cannot be decompressed',
    ],
    [
      'a part with more rows than the program writes',
      [[part, gzipSync('[1]\n'.repeat(3_200_000))]],
      'has too many rows',
    ],
    ['a row with many values inside', [[part, gzipSync(`[${'[],'.repeat(2_000_000)}1]\n`)]], 'does not have 1 values'],
    ['a part that ends inside a row', [[part, gzipSync('["a"]\n["b"')]], 'ends inside a row'],
    ['a file where the folder of an account belongs', [['recordings/unfinished', x]], 'is not a valid name'],
    ['secrets without JSON', [['secrets.json', x]], 'no server can start with its secrets.json'],
    ['secrets that are too short', [toEntry('secrets.json', { jwt: 'x', encryption: 'y' })], 'no server can start'],
    ['a part that is not compressed', [[part, x]], 'cannot be decompressed'],
    ['a row with too many values', [[part, gzipSync('["a","b"]\n')]], 'a row does not have 1 values'],
    ['a missing part', [['tables/accounts/000002.ndjson.gz', x]], 'is in the place of manifest.json'],
    ['rows that the manifest does not describe', [[part, gzipSync('["a"]\n')], end], 'the rows of accounts are not'],
  ])('%s', async (_what, entries, message) => {
    const file = newFile()
    writeFileSync(file, createArchive([toEntry('header.json', header), ...entries]))
    const target = await locations.create()
    await expect(restore(file, target)).rejects.toThrow(message)
    await expectUntouched(target)
  })

  test.each([
    ['format', { ...header, format: 3 }, 'reads formats up to 2. Use Patchbay 9.9.9 or newer'],
    [
      'migration',
      { ...header, migrations: [...header.migrations, '2999-01-01-x'] },
      'does not know its schema (2999-01-01-x)',
    ],
    [
      'column',
      { ...header, tables: [{ name: 'accounts', columns: ['later'] }] },
      'does not know its schema (accounts.later)',
    ],
  ])('a newer %s', async (_what, newer, message) => {
    const file = newFile()
    writeFileSync(file, createArchive([toEntry('header.json', newer), end]))
    const target = await locations.create()
    await expect(restore(file, target)).rejects.toThrow(message)
    await expectUntouched(target)
  })

  test('a row that the database rejects leaves it empty, and it can be restored afterwards', async () => {
    const rows = gzipSync(`["${randomUUID()}"]\n`)
    const file = newFile()
    const sha256 = createHash('sha256').update(gunzipSync(rows)).digest('hex')
    const accounts = { ...manifest, tables: [{ name: 'accounts', parts: 1, rows: 1, sha256 }] }
    writeFileSync(
      file,
      createArchive([toEntry('header.json', header), [part, rows], toEntry('manifest.json', accounts)]),
    )
    const target = await locations.create()
    await expect(restore(file, target)).rejects.toThrow('The rows of accounts cannot be restored')
    await expectUntouched(target)
    await restore(plainFile, target)
    expect(await readEveryTable(target.database)).toEqual(before)
  })
})

test('transcripts of a restored database are found as soon as the server has built their index', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  const transcript_id = 1_780_000_000_000 * 512
  const owners = { account_sid: randomUUID(), service_provider_sid: null, application_sid: null }
  const { content } = await gzipJson({ turns: [{ speaker: 'caller', start_ms: 0, text: 'Where is my parcel?' }] })
  const original = openDatabase(location.database, sqliteReader)
  const row = {
    ...owners,
    transcript_id,
    call_sid: randomUUID(),
    generation: 0,
    index_version: indexVersions.database,
    content,
  }
  await original.db.insertInto('patchbay_transcripts').values(row).execute()
  await original.close()
  const file = newFile()
  const { header } = await createBackup({ location, file: openLocalFile(file), withSecrets: false })
  expect(header.leftOut).toEqual([])
  const target = await locations.create()
  await restore(file, target)
  const database = openDatabase(target.database, sqliteReader)
  const search = () =>
    findTranscripts(database, {
      owner: { account_sid: owners.account_sid },
      application_sid: undefined,
      ...toTokenPhrases({ included: [['my', 'parcel']], excluded: [] }, 'caller'),
      ids: { from: 0, until: Number.MAX_SAFE_INTEGER },
      offset: 0,
      limit: 10,
    })
  expect(await search()).toEqual([])
  await createTranscriptJob({ database, transcriptIndex: undefined })()
  expect(await search()).toEqual([transcript_id])
  await database.close()
})

const insertCall = async ({ db }: Database): Promise<{ account_sid: string }> => {
  const call = {
    account_sid: randomUUID(),
    attempted_at: Date.parse('2026-05-01T12:00:00Z'),
    attempted_ns: 0,
    call_key: 'a call',
    direction: 'inbound',
    answered: 1,
    duration: 12,
  } as const
  await db.insertInto('patchbay_calls').values(call).execute()
  return call
}

test('a backup of an older schema is upgraded', async () => {
  const older = await locations.create()
  const database = openDatabase(older.database, sqliteReader)
  await createSchemaUntil(database, '0002-platform-tables')
  const call = await insertCall(database)
  await database.close()
  const file = newFile()
  const { header } = await createBackup({ location: older, file: openLocalFile(file), withSecrets: false })
  expect(header.migrations).toEqual(['0001-own-tables', '0002-platform-tables'])
  const target = await locations.create()
  await restore(file, target)
  const upgraded = openDatabase(target.database, sqliteReader)
  expect(await upgraded.db.selectFrom('patchbay_calls').select(['call_key', 'duration']).execute()).toEqual([
    { call_key: 'a call', duration: 12 },
  ])
  // A later migration has counted the restored call.
  expect(await upgraded.db.selectFrom('patchbay_call_hours').select('owner_sid').execute()).toContainEqual({
    owner_sid: call.account_sid,
  })
  await upgraded.close()
})

test('a backup of an upgrade that was interrupted is restored, and the upgrade repeated', async () => {
  const half = await locations.create()
  const database = openDatabase(half.database, sqliteReader)
  await createSchemaUntil(database, '0002-platform-tables')
  const { account_sid } = await insertCall(database)
  // The first statement of a migration on MySQL, which is committed before the migration is complete.
  const { patchbay_call_hours } = ownTables
  await createTables(database.db, database.engine, { patchbay_call_hours })
  const counts = {
    owner_sid: account_sid,
    by_kind: 0,
    hour: 1,
    trunk: '',
    direction: '',
    answered: 0,
    calls: 7,
  } as const
  await database.db.insertInto('patchbay_call_hours').values(counts).execute()
  await database.close()
  const file = newFile()
  const { header } = await createBackup({ location: half, file: openLocalFile(file), withSecrets: false })
  expect(header.tables.map(({ name }) => name)).toContain('patchbay_call_hours')
  for (const target of [await locations.create(), locations.createSqlite()]) {
    await restore(file, target)
    const upgraded = openDatabase(target.database, sqliteReader)
    expect(await upgraded.db.selectFrom('patchbay_calls').select(['call_key']).execute()).toEqual([
      { call_key: 'a call' },
    ])
    // The migration has counted the restored call.
    const hours = await upgraded.db
      .selectFrom('patchbay_call_hours')
      .select(['owner_sid', 'by_kind', 'calls'])
      .execute()
    expect(hours.toSorted((a, b) => a.by_kind - b.by_kind)).toEqual([
      { owner_sid: account_sid, by_kind: 0, calls: 1 },
      { owner_sid: account_sid, by_kind: 1, calls: 1 },
    ])
    await upgraded.close()
  }
})

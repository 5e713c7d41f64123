import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupFile } from '@patchbay/server/backup/backup-file'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { openBackupFile } from '@patchbay/server/backup/open-backup-file'
import { type BackupStorageSettings, parseBackupTarget } from '@patchbay/server/config/settings/backup-target'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { openDatabase } from '@patchbay/server/database/engine'
import { createSchema as createSchemaUntil } from '@patchbay/server/database/migrations'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { FatalError } from '@patchbay/server/lib/cli'
import { startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { ignoresTrailingSpaces, isMysql } from '@patchbay/testkit/test-database'
import mysql from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { createLocations, createSchema, restore } from './backup-locations.ts'

/** Databases that fail while a backup reads them, with an error message for the operator. */

const locations = createLocations('patchbay-failures-')

/** Overwrites all pages of an SQLite file except for the schema at its start. */
const damage = (file: string): void => {
  const start = 64 * 4096
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(statSync(file).size - start, 'damaged'), 0, undefined, start)
  closeSync(handle)
}

/** Ends all connections to a database except for the one that does so. */
const endConnections = async (url: string): Promise<void> => {
  const root = await mysql.createConnection(url)
  const [rows] = await root.query<mysql.RowDataPacket[]>(
    'SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
  )
  for (const { ID } of rows) await root.query(`KILL ${String(ID)}`)
  await root.end()
}

/** Makes a MariaDB database fail after a number of bytes of the backup. */
const failDuringWrite = (file: BackupFile, { database }: StorageLocation, afterBytes: number): BackupFile => ({
  ...file,
  write: (content) =>
    file.write(
      (async function* () {
        let bytes = 0
        for await (const chunk of content) {
          yield chunk
          if (bytes <= afterBytes && bytes + chunk.length > afterBytes && database.engine === 'mysql')
            await endConnections(database.url)
          bytes += chunk.length
        }
      })(),
    ),
})

const createFailing = async (): Promise<StorageLocation> => {
  const location = await locations.create()
  await createSchema(location.database)
  if (location.database.engine === 'sqlite') damage(location.database.file)
  return location
}

const reason = isMysql
  ? /^The database of DATABASE_URL cannot be reached: [^\n]+\.$/
  : /patchbay\.sqlite is damaged or not a database\. Restore it from a backup\.$/

const getError = (location: StorageLocation, file: BackupFile, afterBytes = 0): Promise<unknown> =>
  createBackup({ location, file: failDuringWrite(file, location, afterBytes), withSecrets: false }).catch(
    (error: unknown) => error,
  )

test('a backup that loses its database names the reason in one line, and leaves no file', async () => {
  const location = await createFailing()
  const file = openLocalFile(join(location.dataDir, 'failed.backup'))
  const error = await getError(location, file)
  expect(error).toBeInstanceOf(FatalError)
  expect(error).toMatchObject({ message: expect.stringMatching(reason) })
  expect(await file.exists()).toBe(false)
})

test.runIf(isMysql)('a backup that loses its connection inside a table does not end early', async () => {
  const location = await createFailing()
  const { url } = location.database as { url: string }
  const connection = await mysql.createConnection(url)
  // More than the buffers of both sockets contain, and not compressible.
  for (let nth = 0; nth < 40; nth += 1)
    await connection.query(
      'INSERT INTO patchbay_transcripts (transcript_id, account_sid, call_sid, generation, content) VALUES (?, ?, ?, 0, ?)',
      [nth, randomUUID(), randomUUID(), randomBytes(2 ** 20)],
    )
  await connection.end()
  const file = openLocalFile(join(location.dataDir, 'failed.backup'))
  expect(await getError(location, file, 6 * 2 ** 20)).toMatchObject({ message: expect.stringMatching(reason) })
  expect(await file.exists()).toBe(false)
})

test('a failure of the database is not reported as one of the object storage', async () => {
  const s3 = await startS3Server()
  try {
    const { endpoint, name, access_key_id, secret_access_key } = s3.credential
    const settings: BackupStorageSettings = {
      BACKUP_S3_ENDPOINT: endpoint,
      BACKUP_S3_ACCESS_KEY_ID: access_key_id,
      BACKUP_S3_SECRET_ACCESS_KEY: secret_access_key,
    }
    const file = await openBackupFile(parseBackupTarget(`s3://${name}/failed.backup`, settings))
    expect(await getError(await createFailing(), file)).toMatchObject({ message: expect.stringMatching(reason) })
    expect(await file.exists()).toBe(false)
  } finally {
    await s3.stop()
  }
})

test.runIf(isMysql)('a restore whose upgrade fails says that the backup was restored', async () => {
  const older = locations.createSqlite()
  const database = openDatabase(older.database, sqliteReader)
  await createSchemaUntil(database, '0002-platform-tables')
  await database.close()
  const file = locations.newFile()
  await createBackup({ location: older, file: openLocalFile(file), withSecrets: false })
  const target = await locations.createMysql()
  const { url } = target.database as { url: string }
  const user = `u${randomUUID().slice(0, 8)}`
  const root = await mysql.createConnection(url)
  await root.query(`CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY 'secret'`)
  // The indexes of later migrations need another privilege.
  await root.query(
    `GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES ON \`${new URL(url).pathname.slice(1)}\`.* TO ${user}@'127.0.0.1'`,
  )
  const limited = url.replace('root@', `${user}:secret@`)
  await expect(
    restore(file, { ...target, database: { engine: 'mysql', url: limited, connections: 3 } }),
  ).rejects.toThrow(
    /^The backup was restored, but is not upgraded yet: The user of DATABASE_URL lacks a privilege: INDEX command denied[^\n]+\. Grant it, and try again\. The next start of Patchbay upgrades it\.$/,
  )
  await root.query(`DROP USER ${user}@'127.0.0.1'`)
  await root.end()
  await createSchema(target.database)
  await expect(restore(file, target)).rejects.toThrow('into an empty database only')
})

describe.runIf(isMysql)('names that only SQLite distinguishes', () => {
  const createSource = async (names: readonly string[], sids: readonly string[]): Promise<string> => {
    const source = locations.createSqlite()
    await createSchema(source.database)
    const database = openDatabase(source.database, sqliteReader)
    const rows = names.map((name, nth) => ({ name, service_provider_sid: sids[nth] ?? '' }))
    await database.db.insertInto('service_providers').values(rows).execute()
    await database.close()
    const file = locations.newFile()
    await createBackup({ location: source, file: openLocalFile(file), withSecrets: false })
    return file
  }

  test.each([['Muller', 'Müller'], ['ÄRZTE', 'ärzte'], ...(ignoresTrailingSpaces ? [['Acme', 'Acme ']] : [])])(
    'are reported with the rows that have them: %s and %s',
    async (...names) => {
      const sids = names.map(() => randomUUID())
      const file = await createSource(['Other', ...names, 'Last'], [randomUUID(), ...sids, randomUUID()])
      const target = await locations.create()
      await expect(restore(file, target)).rejects.toThrow(
        `The rows of service_providers cannot be restored: two of them have the same name (service_provider_sid ${sids.join(' and ')})`,
      )
    },
  )
})

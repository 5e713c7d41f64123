import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { restoreBackup } from '@patchbay/server/backup/restore-backup'
import type { DatabaseAddress } from '@patchbay/server/config/option-types'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { openDatabase } from '@patchbay/server/database/engine'
import { migrate } from '@patchbay/server/database/migrations'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { isMysql } from '@patchbay/testkit/test-database'
import mysql from 'mysql2/promise'
import { afterAll, inject } from 'vitest'

/** Data folders and empty databases for tests of backups. They are removed after the tests of the file. */
export const createLocations = (prefix: string) => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  const cleanups: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup()
    rmSync(folder, { recursive: true })
  })
  const newFolder = (): string => mkdtempSync(join(folder, 'data-'))
  const createSqlite = (): StorageLocation => {
    const dataDir = newFolder()
    return { dataDir, database: { engine: 'sqlite', file: join(dataDir, 'patchbay.sqlite') } }
  }
  const createMysql = async (): Promise<StorageLocation> => {
    const { port } = inject('mariadb')
    const name = `backup_${randomUUID().replaceAll('-', '')}`
    const root = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' })
    await root.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
    cleanups.push(async () => {
      await root.query(`DROP DATABASE ${name}`)
      await root.end()
    })
    const url = `mysql://root@127.0.0.1:${port}/${name}`
    return { dataDir: newFolder(), database: { engine: 'mysql', url, connections: 3 } }
  }
  return {
    folder,
    newFolder,
    newFile: (): string => join(folder, `${randomUUID()}.patchbay`),
    createSqlite,
    createMysql,
    /** Creates a location of the engine that the tests run on. */
    create: (): Promise<StorageLocation> => (isMysql ? createMysql() : Promise.resolve(createSqlite())),
  }
}

export const createSchema = async (address: DatabaseAddress): Promise<void> => {
  const database = openDatabase(address, sqliteReader)
  await migrate(database)
  await database.close()
}

export const restore = (file: string, location: StorageLocation, secret?: string) =>
  restoreBackup({ location, file: openLocalFile(file), getPassphrase: () => Promise.resolve(secret) })

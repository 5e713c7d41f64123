import { existsSync } from 'node:fs'
import type { DatabaseAddress } from '../config/option-types.ts'
import { BackupError } from './backup-error.ts'
import { openMysqlSnapshot } from './mysql-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'

/**
 * Opens a snapshot of a database that the server can use meanwhile.
 * @throws BackupError if the database does not exist, or Patchbay has never used it
 */
export const openSnapshot = async (address: DatabaseAddress): Promise<Snapshot> => {
  if (address.engine === 'sqlite' && !existsSync(address.file))
    throw new BackupError(`There is no database to back up: ${address.file} does not exist. Check DATA_DIR.`)
  const snapshot = address.engine === 'sqlite' ? openSqliteSnapshot(address.file) : await openMysqlSnapshot(address)
  if (snapshot.migrations.length > 0) return snapshot
  await snapshot.close()
  throw new BackupError('There is no database to back up: Patchbay has not created its tables. Check DATABASE_URL.')
}

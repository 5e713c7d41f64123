import { setTimeout as pause } from 'node:timers/promises'
import type { Configuration } from '../config/configuration.ts'
import { getServerLockPath, makeDataFolder } from '../config/data-directory.ts'
import { explainDatabaseError } from '../database/migrations.ts'
import { toSqliteError } from '../database/sqlite-file.ts'
import { FatalError } from '../lib/cli.ts'
import { type Lock, lockFile } from '../lib/file-lock.ts'

const tryLock = (file: string): Lock | undefined => {
  try {
    return lockFile(file)
  } catch (error) {
    throw explainDatabaseError({ engine: 'sqlite', file }, toSqliteError(error))
  }
}

/** A server that was told to stop ends within this time. A restart can begin before, because npm does not wait for it. */
const patienceMs = 10_000
const intervalMs = 100

/**
 * Acquires the data folder of a database on SQLite for one server. Two servers would each limit requests and passwords
 * by themselves, and wait for each other's writes. Commands such as `backup` and `reset-password` do not need the lock.
 *
 * @returns undefined for a database on MySQL, which any number of servers share
 * @throws FatalError if another server uses the folder and does not stop
 */
export const lockDataFolder = async ({ database, dataDir }: Configuration): Promise<Lock | undefined> => {
  if (database.engine !== 'sqlite') return undefined
  makeDataFolder(dataDir)
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += intervalMs) {
    const lock = tryLock(getServerLockPath(dataDir))
    if (lock !== undefined) return lock
    await pause(intervalMs)
  }
  throw new FatalError(
    `Another server of Patchbay uses the data folder ${dataDir} (DATA_DIR). Stop it, or set another folder.`,
  )
}

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { getErrorCode } from '../lib/error-code.ts'
import { FatalError } from '../lib/cli.ts'

/**
 * The data folder of an embedded installation. Anyone who can read it can sign in as any user, so only its owner has
 * access.
 */

const ownFiles = ['patchbay.sqlite', 'patchbay.sqlite-wal', 'patchbay.sqlite-shm', 'secrets.json']

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is a file or is below a file',
  EEXIST: 'it is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
}

/** Runs work that needs the folder. Throws a FatalError that explains why the folder cannot be used. */
export const withDataDirErrors = <T>(folder: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const code = getErrorCode(error)
    if (code === '' || code.startsWith('SQLITE_')) throw error
    throw new FatalError(`The data folder ${folder} (DATA_DIR) cannot be used: ${reasons[code] ?? code}.`, {
      cause: error,
    })
  }
}

export const makeDataFolder = (folder: string): void =>
  withDataDirErrors(folder, () => void mkdirSync(folder, { recursive: true, mode: 0o700 }))

/** Throws a FatalError if a server could not use or create the folder. Creates nothing. */
export const checkDataFolder = (folder: string): void =>
  withDataDirErrors(folder, () => {
    let existing = folder
    while (!existsSync(existing)) existing = dirname(existing)
    // A trailing slash makes this fail for a file with ENOTDIR.
    accessSync(`${existing}/`, constants.R_OK | constants.W_OK | constants.X_OK)
  })

/** Writes a file so that it contains either the old or the complete new content, even after a crash. */
export const writeFileAtomic = (file: string, text: string): void => {
  const temporary = `${file}.${process.pid}`
  const handle = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
}

const stickyBit = 0o1000

/** Removes other users' permissions for a file or folder. Returns whether others still have access. */
const isAccessibleToOthers = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || (stats.mode & 0o077) === 0) return false
  // The permissions of a shared folder such as /tmp are not changed.
  if ((stats.mode & stickyBit) !== 0) return true
  try {
    chmodSync(path, stats.mode & 0o700)
    return false
  } catch {
    return true
  }
}

/** Removes other users' permissions for the folder and its files. Returns the paths that others can still access. */
export const restrictPermissions = (folder: string): string[] =>
  [folder, ...ownFiles.map((name) => join(folder, name))].filter(isAccessibleToOthers)

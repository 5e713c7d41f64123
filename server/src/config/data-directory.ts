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
import { FatalError } from '../lib/cli.ts'
import { getErrorCode } from '../lib/error-code.ts'

/**
 * The data folder of an embedded installation. Anyone who can read it can sign in as any user, so only its owner has
 * access.
 */

const databaseName = 'patchbay.sqlite'

/** The server that uses the folder locks this file (app/server-lock.ts). */
const lockName = 'server.lock'

const ownFiles = [databaseName, `${databaseName}-wal`, `${databaseName}-shm`, lockName, 'secrets.json']

/** Returns the path of the database in a data folder. */
export const getDatabasePath = (folder: string): string => join(folder, databaseName)

/** Returns the path of the file that the server of a data folder locks. */
export const getServerLockPath = (folder: string): string => join(folder, lockName)

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is a file or is below a file. Set another folder',
  EEXIST: 'it is a file, or a link to a folder that does not exist. Set another folder',
  EISDIR: 'a folder in it has the name of a file of Patchbay. Set another folder',
  EACCES: 'this user may not write there. Change its owner, or set another folder',
  EPERM: 'this user may not write there. Change its owner, or set another folder',
  EROFS: 'its disk is read-only. Mount it writable, or set another folder',
  ENOSPC: 'its disk is full. Free space, or set another folder',
  EDQUOT: 'the disk quota of this user is used up. Free space, or set another folder',
  EFBIG: 'its files may not grow further. Raise the limit, or set another folder',
  EIO: 'its disk does not work. Check the disk, or set another folder',
  EMFILE: 'this process has too many open files. Raise the limit',
  ENOENT: 'its parent folder is missing, or accepts no folders. Set another folder',
  ELOOP: 'it is a symbolic link to itself. Set another folder',
  ENAMETOOLONG: 'its name is too long. Set another folder',
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

/**
 * Creates a folder and the folders above it. The option `recursive` of mkdirSync does not end for a folder in /proc on
 * Node.js 24, and reports a read-only disk as ENOENT.
 */
const makeFolders = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    const parent = dirname(folder)
    if (getErrorCode(error) !== 'ENOENT' || existsSync(parent)) throw error
    makeFolders(parent)
    mkdirSync(folder, { mode: 0o700 })
  }
}

/** Throws the error of the operating system if this process cannot read and write the files of a folder. */
const checkAccess = (folder: string): void => {
  // A trailing slash makes this fail for a file with ENOTDIR.
  accessSync(`${folder}/`, constants.R_OK | constants.W_OK | constants.X_OK)
}

/** Creates the folder if necessary. Throws a FatalError if a server cannot use it. */
export const makeDataFolder = (folder: string): void =>
  withDataDirErrors(folder, () => {
    makeFolders(folder)
    checkAccess(folder)
  })

/** Throws a FatalError if a server could not use or create the folder. Creates nothing. */
export const checkDataFolder = (folder: string): void =>
  withDataDirErrors(folder, () => {
    let existing = folder
    while (!existsSync(existing)) existing = dirname(existing)
    checkAccess(existing)
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

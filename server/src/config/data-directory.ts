import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorCode } from '../lib/error-code.ts'
import { FatalError } from '../lib/cli.ts'

/** The folder of the embedded installation: whoever reads it can sign in as anybody, so it is for its owner alone. */

const ours = ['patchbay.sqlite', 'patchbay.sqlite-wal', 'patchbay.sqlite-shm', 'secrets.json']

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is a file, or lies below one',
  EEXIST: 'it is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk takes no writes',
  ENOSPC: 'its disk is full',
}

/** Runs what needs the folder, or says in a sentence why it cannot be used. */
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

/** The file is there whole or not at all, whatever happens meanwhile. */
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

const sticky = 0o1000

/** Takes from others what they may do with a file or folder; answers whether they still may. */
const staysOpen = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & 0o077) === 0) return false
  // A folder that everybody writes to, as /tmp, is not ours to close.
  if ((found.mode & sticky) !== 0) return true
  try {
    chmodSync(path, found.mode & 0o700)
    return false
  } catch {
    return true
  }
}

/** Closes the folder and its files to others; answers what stays open to them. */
export const restrictPermissions = (folder: string): string[] =>
  [folder, ...ours.map((name) => join(folder, name))].filter(staysOpen)

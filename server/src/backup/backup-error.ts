import type { DatabaseAddress } from '../config/option-types.ts'
import { explainDatabaseError } from '../database/migrations.ts'
import { FatalError } from '../lib/cli.ts'
import { getErrorCode } from '../lib/error-code.ts'

/** Thrown if a backup file cannot be written, read, or restored. The message is for the operator. */
export class BackupError extends FatalError {}

/** The file is damaged, incomplete, or not a backup. */
export class DamagedBackupError extends BackupError {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The backup is damaged: ${reason}. Nothing was changed.`, options)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exhausted',
  EFBIG: 'the file would exceed the size limit of this process or file system',
}

/**
 * Runs work with a file. Errors of the operating system become a BackupError that names the path and the reason.
 * @param what the start of the message, such as "The backup cannot be written"
 */
export const withFileErrors = async <T>(what: string, path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const reason = reasons[getErrorCode(error)]
    if (error instanceof BackupError || reason === undefined) throw error
    throw new BackupError(`${what}: ${path}: ${reason}.`, { cause: error })
  }
}

/**
 * Returns an error of a database, such as a lost connection or a full disk, as a FatalError for the operator. Returns
 * errors without a code, which are faults of the program, unchanged.
 * @param what the start of the message, such as "The backup cannot be written"
 * @param consequence a sentence at its end
 */
export const toBackupError = (what: string, address: DatabaseAddress, error: unknown, consequence = ''): unknown => {
  const explained = explainDatabaseError(address, error)
  if (!(explained instanceof Error) || explained instanceof FatalError || getErrorCode(explained) === '')
    return explained
  return new BackupError(`${what}: ${explained.message.replace(/\.$/, '')}.${consequence}`, { cause: error })
}

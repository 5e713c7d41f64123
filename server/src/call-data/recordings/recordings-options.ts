import type { OnBackgroundError } from '../../lib/log.ts'
import type { FileStore } from './file-recordings.ts'
import type { PendingUploads } from './pending-uploads.ts'
import type { StorageLocation } from './recording.ts'

/** Names what the access to recordings depends on. */
export interface RecordingsOptions {
  /** Returns the files of an account. */
  getFiles: (account_sid: string) => FileStore
  /** Queue in the same data folder. */
  pending: PendingUploads
  /** Returns undefined for an account without a storage. */
  openStorage: (account_sid: string, seconds?: number) => Promise<StorageLocation | undefined>
  /** Returns whether the account has a storage, and undefined if the account does not exist. */
  usesStorage: (account_sid: string) => Promise<boolean | undefined>
  /** Removes the local files of a deleted account. */
  forget: (account_sid: string) => Promise<void>
  /** Reports an error that no request can report. `what` describes what failed. */
  onBackgroundError: OnBackgroundError
}

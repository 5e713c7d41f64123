import { createRecordingFinder } from './find-recordings.ts'
import type { FinishedRecording, Recording } from './recording.ts'
import type { RecordingName } from './recording-names.ts'
import type { RecordingsOptions } from './recordings-options.ts'
import { createRecordingStore } from './store-recordings.ts'

/** Recordings of calls as files, and in the storages of accounts. */
export interface Recordings {
  /**
   * Returns the recording with this name, or with the same name on the day before or after. If a call has several
   * recordings, returns the one in the storage, which was uploaded first. Returns a local one if the storage does not
   * respond.
   */
  find(account_sid: string, name: RecordingName): Promise<Recording | undefined>
  /**
   * Stores a recording as a file and queues its upload if the account has a storage. Does not wait for the upload.
   * Returns the version under which it was stored, or undefined if the account was deleted.
   *
   * @throws TooManyVersions if the call has been recorded `maxVersions` times; the file is removed
   */
  store(recorded: FinishedRecording): Promise<number | undefined>
  /** Removes the local files of a deleted account. Its storage remains unchanged. */
  deleteFiles(account_sid: string): Promise<void>
}

/** Creates the access to recordings. */
export const createRecordings = (options: RecordingsOptions): Recordings => ({
  deleteFiles: options.forget,
  find: createRecordingFinder(options),
  store: createRecordingStore(options),
})

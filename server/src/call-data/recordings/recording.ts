import type { StoredBytes } from '@patchbay/contract/endpoint'
import type { RecordingName } from './recording-names.ts'

/** Recordings of calls (api/4-calls-and-hosted.md §2.6, §2.7). */
export interface Recording extends StoredBytes {
  /** the account that recorded it, if its storage says so */
  account_sid?: string
  /** Removes the recording with all its versions. */
  remove(): Promise<void>
}

/** A complete recording in a file, which is moved away. */
export interface Recorded {
  account_sid: string
  name: RecordingName
  file: string
  /** what is known of the call, by the platform's names */
  metadata: Readonly<Record<string, string>>
  /** identifies the recording if storing or uploading it is repeated after a kill */
  recording_id: string
}

export interface Deletion {
  /** of the recording that was deleted */
  recording_id: string
  /** epoch milliseconds */
  at: number
}

/** The recordings of one account in its storage. */
export interface StorageLocation {
  find(name: RecordingName): Promise<Recording | undefined>
  /** Uploads a recording under the first version that is free. Does nothing if an earlier attempt has uploaded it. */
  upload(recorded: Recorded, signal: AbortSignal): Promise<void>
  /** Removes the account's recordings of a call that existed when one of them was deleted. */
  removeDeleted(name: RecordingName, deleted: Deletion): Promise<void>
}

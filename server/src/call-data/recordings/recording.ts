import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import type { RecordingName } from './recording-names.ts'

/** A stored recording. */
export interface Recording extends StoredBytes {
  /** The account of the recording, if the storage provides it. */
  account_sid?: string
  /** Removes the recording with all its versions. */
  remove(): Promise<void>
}

/** A complete recording in a file. The store moves the file away. */
export interface FinishedRecording {
  account_sid: string
  name: RecordingName
  file: string
  /** Metadata of the call with jambonz's names. */
  metadata: Readonly<Record<string, string>>
  /** Identifies the recording if storing or uploading it is repeated after a kill. */
  recording_id: string
}

/** The deletion of a recording. */
export interface Deletion {
  /** Id of the recording that was deleted. */
  recording_id: string
  /** Milliseconds since the Unix epoch. */
  at: number
}

/** The recordings of one account in its storage. */
export interface StorageLocation {
  /** Returns a recording by its name, or undefined. */
  find(name: RecordingName): Promise<Recording | undefined>
  /** Uploads a recording as the first free version. Does nothing if an earlier attempt has uploaded it. */
  upload(recorded: FinishedRecording, signal: AbortSignal): Promise<void>
  /** Removes the account's recordings of a call that existed when one of them was deleted. */
  removeDeleted(name: RecordingName, deleted: Deletion): Promise<void>
}

import { toCallMetadata } from '@patchbay/contract/recordings/storage-tags'
import { type Bucket, type FoundObject, ObjectExistsError } from '../../adapters/object-storage/bucket.ts'
import type { FinishedRecording, Recording, StorageLocation } from './recording.ts'
import {
  getRecordingKey,
  listVersions,
  parseRecordedAt,
  type RecordingName,
  TooManyVersions,
} from './recording-names.ts'

/**
 * Recordings in the bucket of an account, with the keys that jambonz uses
 * (docs/reference/platform-api/recordings.md#object-storage).
 */

/** Name of the metadata entry that identifies a recording, in addition to those of jambonz. */
const idName = 'recordingId'

const requestTimeoutMs = 20_000
const requestLimit = (): AbortSignal => AbortSignal.timeout(requestTimeoutMs)

/** Reads metadata case-insensitively because some storage services return the names in lower case. */
const readMetadata = ({ metadata }: FoundObject, name: string): string | undefined =>
  Object.entries(metadata).find(([stored]) => stored.toLowerCase() === name.toLowerCase())?.[1]

/** Returns whether an error is a 403. A credential may permit writing objects but not looking them up. */
const isForbidden = (error: unknown): boolean => {
  const { statusCode, status, $metadata }: Record<string, unknown> = Object(error)
  const { httpStatusCode }: Record<string, unknown> = Object($metadata)
  return [statusCode, status, httpStatusCode].includes(403)
}

/**
 * Creates the recordings of an account in its bucket. In a bucket that accounts share, it finds only recordings whose
 * metadata names the account.
 */
export const bucketRecordings = (bucket: Bucket, account_sid: string): StorageLocation => {
  const isOfAccount = (object: FoundObject): boolean =>
    readMetadata(object, 'accountSid')?.toLowerCase() === account_sid.toLowerCase()

  const remove = (key: string): Promise<void> => bucket.remove(key, requestLimit())

  /** Removes the account's recordings of a call whose ids `isDeleted` accepts. */
  const removeVersions = async (
    name: RecordingName,
    isDeleted: (recording_id: string | undefined) => boolean,
  ): Promise<void> => {
    for (const version of listVersions(name)) {
      const key = getRecordingKey(version)
      const object = await bucket.find(key, requestLimit())
      if (object && isOfAccount(object) && isDeleted(readMetadata(object, idName))) await remove(key)
    }
  }

  const toRecording = (name: RecordingName, key: string, object: FoundObject): Recording => {
    const owner = readMetadata(object, 'accountSid')
    return {
      size: object.size,
      ...(owner === undefined ? {} : { account_sid: owner }),
      read: (first, last, signal) => bucket.readPart(key, { first, last }, signal),
      async remove() {
        await remove(key)
        await removeVersions(name, () => true)
      },
    }
  }

  const getState = async (
    key: string,
    { recording_id }: FinishedRecording,
  ): Promise<'uploaded' | 'free' | 'taken' | 'unknown'> => {
    try {
      const object = await bucket.find(key, requestLimit())
      if (object === undefined) return 'free'
      return readMetadata(object, idName) === recording_id ? 'uploaded' : 'taken'
    } catch (error) {
      if (isForbidden(error)) return 'unknown'
      throw error
    }
  }

  const write = (
    key: string,
    { file, name, metadata, recording_id }: FinishedRecording,
    signal: AbortSignal,
  ): Promise<void> => {
    const stored = toCallMetadata({ ...metadata, accountSid: account_sid, [idName]: recording_id })
    return bucket.upload(key, { path: file, type: `audio/${name.format}`, metadata: stored }, signal)
  }

  /** Returns false if the key belongs to another recording. */
  const uploadAs = async (key: string, recorded: FinishedRecording, signal: AbortSignal): Promise<boolean> => {
    const state = await getState(key, recorded)
    if (state === 'uploaded' || state === 'taken') return state === 'uploaded'
    try {
      await write(key, recorded, signal)
      return true
    } catch (error) {
      if (!(error instanceof ObjectExistsError)) throw error
      // Another process was faster, or an earlier request of this upload succeeded and its response was lost.
      const currentState = await getState(key, recorded)
      // Versions must have no gaps because `find` stops at the first missing one.
      if (currentState === 'free') throw error
      return currentState === 'uploaded'
    }
  }

  return {
    async find(name) {
      for (const version of listVersions(name)) {
        const key = getRecordingKey(version)
        const object = await bucket.find(key, requestLimit())
        if (object === undefined) return undefined
        // In a bucket that several accounts share, a version can be the recording of another account.
        if (readMetadata(object, 'accountSid') === undefined || isOfAccount(object))
          return toRecording(name, key, object)
      }
      return undefined
    },
    async upload(recorded, signal) {
      for (const version of listVersions({ ...recorded.name, version: 1 }))
        if (await uploadAs(getRecordingKey(version), recorded, signal)) return
      throw new TooManyVersions('the storage has the maximum number of recordings of this call')
    },
    removeDeleted: (name, deleted) =>
      removeVersions(name, (recording_id) => {
        const at = parseRecordedAt(recording_id)
        // A recording with a future time was made before the clock was set back.
        return recording_id === deleted.recording_id || at === undefined || at <= deleted.at || at > Date.now()
      }),
  }
}

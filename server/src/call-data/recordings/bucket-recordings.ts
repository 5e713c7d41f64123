import { ObjectExistsError, type Bucket, type FoundObject } from '../../adapters/object-storage/bucket.ts'
import { getRecordingKey, recordedAt, type RecordingName, listVersions } from './recording-names.ts'
import { TooManyVersions } from './recordings.ts'
import type { StorageLocation, Recorded, Recording } from './recording.ts'

/** Recordings in the storage of an account, under the keys of the platform (api/4-calls-and-hosted.md §2.6, §2.7). */

/** The name of a header that identifies a recording, beside those of the platform. */
const idName = 'recordingId'

const requestTimeoutMs = 20_000
const requestLimit = (): AbortSignal => AbortSignal.timeout(requestTimeoutMs)

/** Metadata travels in headers, which hold printable ASCII. */
const headerText = (value: string): string =>
  value
    .replaceAll(/\p{Cs}/gu, '')
    .replaceAll(/[^ -~]+/gu, encodeURIComponent)
    .slice(0, 256)

/** Storages may return the names of metadata in lower case. */
const readMetadata = ({ metadata }: FoundObject, name: string): string | undefined =>
  Object.entries(metadata).find(([stored]) => stored.toLowerCase() === name.toLowerCase())?.[1]

/** A credential may allow to write objects and not to look for them. */
const isForbidden = (error: unknown): boolean => {
  const { statusCode, status, $metadata }: Record<string, unknown> = Object(error)
  const { httpStatusCode }: Record<string, unknown> = Object($metadata)
  return [statusCode, status, httpStatusCode].includes(403)
}

export const bucketRecordings = (bucket: Bucket, account_sid: string): StorageLocation => {
  const isOfAccount = (object: FoundObject): boolean =>
    readMetadata(object, 'accountSid')?.toLowerCase() === account_sid.toLowerCase()

  const remove = (key: string): Promise<void> => bucket.remove(key, requestLimit())

  /** Removes the account's recordings of a call for whose ids `isDeleted` returns true. */
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
    { recording_id }: Recorded,
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

  const write = (key: string, { file, name, metadata, recording_id }: Recorded, signal: AbortSignal): Promise<void> => {
    const entries = Object.entries({ ...metadata, accountSid: account_sid, [idName]: recording_id }).map(
      ([member, value]) => [member, headerText(value)],
    )
    return bucket.upload(
      key,
      { path: file, type: `audio/${name.format}`, metadata: Object.fromEntries(entries) },
      signal,
    )
  }

  /** Returns false if the key belongs to another recording. */
  const uploadAs = async (key: string, recorded: Recorded, signal: AbortSignal): Promise<boolean> => {
    const state = await getState(key, recorded)
    if (state === 'uploaded' || state === 'taken') return state === 'uploaded'
    try {
      await write(key, recorded, signal)
      return true
    } catch (error) {
      if (!(error instanceof ObjectExistsError)) throw error
      // Another process was faster, or an earlier request of this upload was applied and its response was lost.
      const found = await getState(key, recorded)
      // A later version would not be found as long as there is no earlier one.
      if (found === 'free') throw error
      return found === 'uploaded'
    }
  }

  return {
    async find(name) {
      for (const version of listVersions(name)) {
        const key = getRecordingKey(version)
        const object = await bucket.find(key, requestLimit())
        if (object === undefined) return undefined
        // In a bucket that accounts share, a version may be the recording of another account.
        if (readMetadata(object, 'accountSid') === undefined || isOfAccount(object))
          return toRecording(name, key, object)
      }
      return undefined
    },
    async upload(recorded, signal) {
      for (const version of listVersions({ ...recorded.name, version: 1 }))
        if (await uploadAs(getRecordingKey(version), recorded, signal)) return
      throw new TooManyVersions('the storage has as many recordings of this call as are kept')
    },
    removeDeleted: (name, deleted) =>
      removeVersions(name, (recording_id) => {
        const at = recordedAt(recording_id)
        // A recording of the future was made before the clock was set back.
        return recording_id === deleted.recording_id || at === undefined || at <= deleted.at || at > Date.now()
      }),
  }
}

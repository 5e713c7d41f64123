import { rm, unlink } from 'node:fs/promises'
import { ApiError } from '@patchbay/contract/api/errors'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { FileStore } from './file-recordings.ts'
import { getEntryId, type PendingNote, type PendingUploads } from './pending-uploads.ts'
import { getRecordingKey, maxVersions, type RecordingName, listVersions } from './recording-names.ts'
import type { FinishedRecording, Recording, StorageLocation } from './recording.ts'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import type { OnBackgroundError } from '../../lib/log.ts'

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

/** Thrown if a call has been recorded `maxVersions` times on a day. */
export class TooManyVersions extends Error {}

/**
 * The day in a request can differ from that of the recording because of calls that cross midnight and clocks in other
 * time zones.
 */
const listAdjacentDays = (day: string): string[] =>
  [0, -1, 1].map((more) => new Date(Date.parse(day) + more * dayMs).toISOString().slice(0, 10))

const listAdjacentNames = (name: RecordingName): RecordingName[] =>
  listAdjacentDays(name.day).map((day) => ({ ...name, day }))

const findFirst = async <T>(
  names: readonly RecordingName[],
  find: (name: RecordingName) => Promise<T | undefined>,
): Promise<T | undefined> => {
  for (const name of names) {
    const result = await find(name)
    if (result !== undefined) return result
  }
  return undefined
}

/** Request timeout of a storage if there is a local recording to return instead. */
const quickSeconds = 3

const tryUnlink = (path: string): Promise<boolean> =>
  unlink(path).then(
    () => true,
    (error: unknown) => ignoreMissingFile(error) ?? false,
  )

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

/** Creates the access to recordings. */
export const createRecordings = ({
  getFiles,
  pending,
  openStorage,
  usesStorage,
  forget,
  onBackgroundError,
}: RecordingsOptions): Recordings => {
  const withStorage = async <T>(
    account_sid: string,
    work: (storage: StorageLocation) => Promise<T>,
    seconds?: number,
  ): Promise<T | undefined> => {
    try {
      const bucket = await openStorage(account_sid, seconds)
      return bucket && (await work(bucket))
    } catch (error) {
      onBackgroundError(error, 'the storage of an account could not be searched for recordings', { account_sid })
      throw new ApiError('recordings_unavailable')
    }
  }

  /** Removes the local recordings of a call and cancels their uploads. Returns whether there were any. */
  const removeLocal = async (account_sid: string, name: RecordingName): Promise<boolean> => {
    let isRemoved = false
    for (const version of listVersions(name)) {
      const key = getRecordingKey(version)
      const isPending = await pending.markRemoved(account_sid, key)
      isRemoved = (await tryUnlink(getFiles(account_sid).getPath(key))) || isPending || isRemoved
    }
    return isRemoved
  }

  const removeFiles = async (account_sid: string, name: RecordingName): Promise<void> => {
    // If there were no local recordings, they have been uploaded since they were found.
    if (!(await removeLocal(account_sid, name)))
      await withStorage(account_sid, async (storage) => (await storage.find(name))?.remove())
  }

  const findFile = (account_sid: string, names: readonly RecordingName[]) =>
    findFirst(names, async (name) => {
      const recording = await getFiles(account_sid).find(getRecordingKey(name))
      return recording && { name, recording: { ...recording, remove: () => removeFiles(account_sid, name) } }
    })

  const findInStorage = (account_sid: string, names: readonly RecordingName[], seconds?: number) =>
    withStorage(
      account_sid,
      (storage) =>
        findFirst(names, async (name) => {
          if (await pending.isRemoved(account_sid, getRecordingKey(name))) return undefined
          const recording = await storage.find(name)
          const remove = async () => {
            await removeLocal(account_sid, name)
            await recording?.remove()
          }
          return recording && { ...recording, remove }
        }),
      seconds,
    )

  /** Returns undefined if the storage does not respond. */
  const findQuicklyInStorage = (account_sid: string, names: readonly RecordingName[]) =>
    findInStorage(account_sid, names, quickSeconds).catch(() => undefined)

  /** Returns true if the lookup fails, so that a failure never loses a recording. */
  const isUploadWanted = async (account_sid: string): Promise<boolean | undefined> => {
    try {
      return await usesStorage(account_sid)
    } catch (error) {
      const message = 'the storage settings of an account could not be read; a recording is queued for upload'
      onBackgroundError(error, message, { account_sid })
      return true
    }
  }

  const queueUpload = async (key: string, note: PendingNote): Promise<boolean> => {
    try {
      return await pending.add(key, note)
    } catch (error) {
      const { account_sid } = note
      const message = 'a recording stays a file because its upload could not be queued'
      onBackgroundError(error, message, { account_sid, recording: key })
      return true
    }
  }

  /** Returns false if another recording has that version. */
  const storeAs = async (name: RecordingName, recorded: FinishedRecording, isUploaded: boolean): Promise<boolean> => {
    const { account_sid, metadata, recording_id, file } = recorded
    const key = getRecordingKey(name)
    if (!(await pending.isFree(account_sid, key, recording_id))) return false
    const files = getFiles(account_sid)
    // This check comes before the entry is created, because the entry would name the file of another recording.
    if (await files.isTaken(key, file)) return false
    if (isUploaded && !(await queueUpload(key, { account_sid, name, metadata, recording_id }))) return false
    if (await files.store(key, file)) return true
    if (isUploaded) await pending.delete({ account_sid, id: getEntryId(account_sid, key), state: 'waiting' })
    return false
  }

  const storeFirstFree = async (recorded: FinishedRecording, isUploaded: boolean): Promise<number | undefined> => {
    for (const name of listVersions(recorded.name)) if (await storeAs(name, recorded, isUploaded)) return name.version
    return undefined
  }

  return {
    deleteFiles: forget,
    async find(account_sid, name) {
      const names = listAdjacentNames(name)
      const file = await findFile(account_sid, names)
      if (file === undefined) return findInStorage(account_sid, names)
      // The local file may be a later recording of the same call that waits for its upload.
      const candidates = names.slice(0, names.indexOf(file.name) + 1)
      const stored = await findQuicklyInStorage(account_sid, candidates)
      // A storage that returns an object for every key must not hide the local recording.
      return stored?.account_sid === undefined ? file.recording : stored
    },
    async store(recorded) {
      const { account_sid, name, file } = recorded
      const isUploaded = await isUploadWanted(account_sid)
      const stored = isUploaded === undefined ? undefined : await storeFirstFree(recorded, isUploaded)
      await rm(file, { force: true })
      if (isUploaded === undefined) return undefined
      if (stored === undefined)
        throw new TooManyVersions(`the call ${name.call_sid} has been recorded ${maxVersions} times already`)
      // The account may have been deleted in the meantime. The deletion removes its files and may already be finished.
      if ((await isUploadWanted(account_sid)) === undefined) await forget(account_sid)
      return stored
    },
  }
}

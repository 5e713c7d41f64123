import { unlink } from 'node:fs/promises'
import { ApiError } from '@patchbay/contract/api/errors'
import { dayMs } from '@patchbay/contract/shared/durations'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import type { Recording, StorageLocation } from './recording.ts'
import { getRecordingKey, listVersions, type RecordingName } from './recording-names.ts'
import type { RecordingsOptions } from './recordings-options.ts'

/** Finds recordings among the files, and in the storage of the account. */

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

/** Returns the function `find` of the recordings. */
export const createRecordingFinder = ({ getFiles, pending, openStorage, onBackgroundError }: RecordingsOptions) => {
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

  return async (account_sid: string, name: RecordingName): Promise<Recording | undefined> => {
    const names = listAdjacentNames(name)
    const file = await findFile(account_sid, names)
    if (file === undefined) return findInStorage(account_sid, names)
    // The local file may be a later recording of the same call that waits for its upload.
    const candidates = names.slice(0, names.indexOf(file.name) + 1)
    const stored = await findQuicklyInStorage(account_sid, candidates)
    // A storage that returns an object for every key must not hide the local recording.
    return stored?.account_sid === undefined ? file.recording : stored
  }
}

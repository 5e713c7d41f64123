import { rm } from 'node:fs/promises'
import { getEntryId, type PendingNote } from './pending-uploads.ts'
import type { FinishedRecording } from './recording.ts'
import { getRecordingKey, listVersions, maxVersions, type RecordingName, TooManyVersions } from './recording-names.ts'
import type { RecordingsOptions } from './recordings-options.ts'

/** Stores recordings as files, and queues their uploads. */

/** Returns the function `store` of the recordings. */
export const createRecordingStore = ({
  getFiles,
  pending,
  usesStorage,
  forget,
  onBackgroundError,
}: RecordingsOptions) => {
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

  return async (recorded: FinishedRecording): Promise<number | undefined> => {
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
  }
}

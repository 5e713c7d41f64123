import { rm, stat } from 'node:fs/promises'
import { dayMs } from '@patchbay/contract/shared/durations'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import type { FileStore } from './file-recordings.ts'
import type { PendingNote, PendingUpload, PendingUploads } from './pending-uploads.ts'
import type { FinishedRecording, StorageLocation } from './recording.ts'
import { getRecordingKey, TooManyVersions } from './recording-names.ts'
import type { RunningUploads } from './running-uploads.ts'

/** Does what a queued entry says: uploads a recording, or removes one that was deleted or uploaded. */

export type OpenBucket = () => Promise<StorageLocation | undefined>

/** A recording of several hours has several hundred megabytes. */
export const maxUploadSeconds = 600
const minUploadSeconds = 60
const minBytesPerSecond = 64 * 1024

const uploadSeconds = (bytes: number): number =>
  Math.min(maxUploadSeconds, minUploadSeconds + Math.ceil(bytes / minBytesPerSecond))

interface UploadHandlerOptions {
  pending: PendingUploads
  running: RunningUploads
  getFiles: (account_sid: string) => FileStore
  onBackgroundError: OnBackgroundError
  /** Aborts when the server closes. */
  stopped: AbortSignal
}

/** Returns the function that handles an entry. It throws if the storage does not accept the recording. */
export const createUploadHandler = ({
  pending,
  running,
  getFiles,
  onBackgroundError,
  stopped,
}: UploadHandlerOptions) => {
  const copyToStorage = async (
    recorded: FinishedRecording,
    bytes: number,
    bucket: StorageLocation,
  ): Promise<boolean> => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(uploadSeconds(bytes) * 1000)])
    const { account_sid } = recorded
    try {
      await running.run(account_sid, signal, () => bucket.upload(recorded, signal))
      return true
    } catch (error) {
      if (!(error instanceof TooManyVersions)) throw error
      const message = 'a recording stays a file because its call was recorded too often'
      onBackgroundError(error, message, { account_sid, recording: getRecordingKey(recorded.name) })
      return false
    }
  }

  const upload = async (entry: PendingUpload, note: PendingNote, bucket: StorageLocation): Promise<void> => {
    const file = getFiles(note.account_sid).getPath(getRecordingKey(note.name))
    const stats = await stat(file).catch(ignoreMissingFile)
    if (stats === undefined) {
      // The file is moved to its place after the entry was created, unless the process was killed in between.
      if (((await pending.getChangedAt(entry)) ?? 0) < Date.now() - dayMs) await pending.delete(entry)
      return
    }
    if (!(await copyToStorage({ ...note, file }, stats.size, bucket))) return pending.delete(entry)
    // No other recording gets this file name while the entry exists, so this is the file that was uploaded.
    if (!(await pending.markUploaded(entry))) return
    await rm(file, { force: true })
    await pending.delete({ ...entry, state: 'uploaded' })
  }

  /** Removes a recording that a user has deleted from the storage, too. */
  const removeFromStorage = async (entry: PendingUpload, note: PendingNote, bucket: StorageLocation): Promise<void> => {
    const isRunning = running.isRunning(entry.account_sid)
    const at = (await pending.getChangedAt(entry)) ?? Date.now()
    await bucket.removeDeleted({ ...note.name, version: 1 }, { recording_id: note.recording_id, at })
    // While an aborted upload may still write, the entry remains, and the removal is repeated later.
    if (!isRunning) await pending.delete(entry)
  }

  return async (entry: PendingUpload, openBucket: OpenBucket): Promise<void> => {
    const note = await pending.read(entry)
    if (note === undefined) return
    if (entry.state !== 'waiting')
      await rm(getFiles(note.account_sid).getPath(getRecordingKey(note.name)), { force: true })
    const bucket = entry.state === 'uploaded' ? undefined : await openBucket()
    if (bucket === undefined) return pending.delete(entry)
    if (entry.state === 'removed') return removeFromStorage(entry, note, bucket)
    if (running.isRunning(note.account_sid)) throw new Error('an upload that was aborted is still running')
    return upload(entry, note, bucket)
  }
}

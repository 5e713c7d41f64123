import { deleteAccountFiles, removeRecordingsBefore } from '../recordings/file-recordings.ts'
import { findOwnRecording, parseRecordedName } from '../recordings/recording-of-call.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { DeletableRecordings, DeletedCall } from './deletion.ts'

interface RecordingSources {
  dataDir: string
  recordings: Pick<Recordings, 'find'>
  /** Returns undefined if the account does not exist. */
  usesStorage: (account_sid: string) => Promise<boolean | undefined>
}

/** Requests to a storage at the same time. */
const concurrency = 8

/** Creates the deletion of recordings. The storage of a deleted account cannot be opened any more. */
export const createDeletableRecordings = ({
  dataDir,
  recordings,
  usesStorage,
}: RecordingSources): DeletableRecordings => {
  const deleteRecording = async (account_sid: string, { call_sid, recording_url }: DeletedCall): Promise<number> => {
    if (call_sid === null || recording_url === null) return 0
    // The host can be an earlier name of this server. The path names the account and the call in any case.
    const url = recording_url.replace(/^https?:\/\/[^/]+/i, 'http://localhost')
    const name = parseRecordedName({ account_sid, call_sid, recording_url: url })
    const recording = name && (await findOwnRecording(recordings, account_sid, name))
    if (recording === undefined) return 0
    await recording.remove()
    return 1
  }
  return {
    deleteFiles: (account_sid, before, signal) =>
      before === undefined
        ? deleteAccountFiles(dataDir, account_sid)
        : removeRecordingsBefore(dataDir, before, signal, account_sid),
    async deleteStored(account_sid, calls) {
      if ((await usesStorage(account_sid)) !== true) return 0
      const recorded = calls.filter(({ recording_url }) => recording_url !== null)
      let deleted = 0
      for (let start = 0; start < recorded.length; start += concurrency) {
        const some = recorded.slice(start, start + concurrency)
        const counts = await Promise.all(some.map((call) => deleteRecording(account_sid, call)))
        deleted += counts.reduce((sum, count) => sum + count, 0)
      }
      return deleted
    },
  }
}

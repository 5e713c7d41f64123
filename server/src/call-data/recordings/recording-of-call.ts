import { parseRecordingUrl } from '@patchbay/rules/recordings/recordings'
import type { Recording } from './recording.ts'
import { parseRecordingName, type RecordingName } from './recording-names.ts'
import type { Recordings } from './recordings.ts'

export interface RecordedCall {
  account_sid: string
  call_sid: string
  recording_url: string
}

/**
 * Returns the name of the recording of a call, or undefined if its URL names another server, account, or call. Calls are
 * written by the platform, but their recording must not give access to that of another account.
 */
export const parseRecordedName = ({
  account_sid,
  call_sid,
  recording_url,
}: RecordedCall): RecordingName | undefined => {
  const source = parseRecordingUrl(recording_url, 'http://localhost')
  if (source === undefined || !('path' in source)) return undefined
  const { path } = source
  return path.account_sid === account_sid && path.call_sid === call_sid ? parseRecordingName(path) : undefined
}

/** Returns a recording of an account, or undefined if there is none. */
export const findOwnRecording = async (
  recordings: Pick<Recordings, 'find'>,
  account_sid: string,
  name: RecordingName,
): Promise<Recording | undefined> => {
  const recording = await recordings.find(account_sid, name)
  // A storage that several accounts use could contain a recording of another account.
  const isForeign = recording?.account_sid !== undefined && recording.account_sid !== account_sid
  return isForeign ? undefined : recording
}

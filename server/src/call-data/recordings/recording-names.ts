import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { randomUUID } from 'node:crypto'

/**
 * The name of a recording. A call that is recorded again under the same `call_sid` does not replace its first recording:
 * it gets the next version, `{call_sid}.2.mp3`, which the API returns for the format `2.mp3`.
 */
export interface RecordingName {
  call_sid: string
  /** the day on which the recording began, by the server's clock, YYYY-MM-DD */
  day: string
  format: RecordFormat
  /** 1 if absent */
  version?: number | undefined
}

/** Recordings that are kept of one call and day. */
export const maxVersions = 10

export const getRecordingKey = ({ call_sid, day, format, version = 1 }: RecordingName): string =>
  `${day.replaceAll('-', '/')}/${call_sid.toLowerCase()}${version > 1 ? `.${version}` : ''}.${format}`

/** Returns the names that recordings of a call may have on its day. A name with a version above 1 is the only one. */
export const listVersions = ({ version = 1, ...name }: RecordingName): (RecordingName & { version: number })[] =>
  version > 1
    ? [{ ...name, version }]
    : Array.from({ length: maxVersions }, (_, nth) => ({ ...name, version: nth + 1 }))

/** Returns an id that says when the recording was made. */
export const newRecordingId = (): string => `${Date.now()}-${randomUUID()}`

/** Returns epoch milliseconds, or undefined for an id without a time. */
export const recordedAt = (recording_id: string | undefined): number | undefined => {
  const time = /^(\d{13})-/.exec(recording_id ?? '')?.[1]
  return time === undefined ? undefined : Number(time)
}

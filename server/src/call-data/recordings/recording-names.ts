import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { randomUUID } from 'node:crypto'

/**
 * The name of a recording. If a call is recorded again with the same `call_sid`, the new recording does not replace the
 * first one. It gets the next version, `{call_sid}.2.mp3`, which the API returns for the format `2.mp3`.
 */
export interface RecordingName {
  call_sid: string
  /** Day on which the recording started in the server's time zone, YYYY-MM-DD. */
  day: string
  format: RecordFormat
  /** Default: 1. */
  version?: number | undefined
}

/** Maximum number of recordings per call and day. */
export const maxVersions = 10

/** Returns the key of a recording in a storage, which is also its path below the folder of its account. */
export const getRecordingKey = ({ call_sid, day, format, version = 1 }: RecordingName): string =>
  `${day.replaceAll('-', '/')}/${call_sid.toLowerCase()}${version > 1 ? `.${version}` : ''}.${format}`

/** Returns the possible names of a call's recordings on its day. A name with a version above 1 is returned alone. */
export const listVersions = ({ version = 1, ...name }: RecordingName): (RecordingName & { version: number })[] =>
  version > 1
    ? [{ ...name, version }]
    : Array.from({ length: maxVersions }, (_, nth) => ({ ...name, version: nth + 1 }))

/** Returns a new id that contains the current time. */
export const newRecordingId = (): string => `${Date.now()}-${randomUUID()}`

/** Returns the time of a recording id in milliseconds since the Unix epoch, or undefined for an id without a time. */
export const parseRecordedAt = (recording_id: string | undefined): number | undefined => {
  const time = /^(\d{13})-/.exec(recording_id ?? '')?.[1]
  return time === undefined ? undefined : Number(time)
}

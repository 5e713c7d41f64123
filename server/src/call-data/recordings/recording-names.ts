import { randomUUID } from 'node:crypto'
import { type RecordFormat, recordFormats } from '@patchbay/contract/recordings/storage'

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

/** The parts of a recording's URL. */
export interface RecordingPath {
  call_sid: string
  year: string
  month: string
  day: string
  format: string
}

/**
 * Returns the name of the recording with a URL, or undefined if there can be none. The format may start with a version,
 * as in `2.mp3`, for a call that was recorded repeatedly.
 */
export const parseRecordingName = ({ call_sid, year, month, day, format: versionedFormat }: RecordingPath) => {
  const date = `${year}-${month}-${day}`
  const [, version = '1', extension = ''] = /^(?:([2-9]|10)\.)?([a-z\d]+)$/i.exec(versionedFormat) ?? []
  const format = recordFormats.find((candidate) => candidate === extension.toLowerCase())
  if (format === undefined || !/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) return undefined
  const name: RecordingName = { call_sid, day: date, format, version: Number(version) }
  return name
}

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

/** Thrown if a call has been recorded `maxVersions` times on a day. */
export class TooManyVersions extends Error {}

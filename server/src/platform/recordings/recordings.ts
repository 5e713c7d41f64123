import type { StoredBytes } from '@patchbay/contract/endpoint'
import { once } from 'node:events'
import { Refused } from '@patchbay/contract/errors'
import type { RecordFormat } from '@patchbay/contract/rules/recording-storage'

/** Recordings of calls (api/4-calls-and-hosted.md §2.6, §2.7). */

/** What a recording is called: the day is that on which it began, as the server's clock says, YYYY-MM-DD. */
export interface RecordingName {
  call_sid: string
  day: string
  format: RecordFormat
}

export interface Recording extends StoredBytes {
  /** whose it is, where its place says so */
  account_sid?: string
  remove(): Promise<void>
}

/** A recording that is whole and lies in a file, which is taken away. */
export interface Recorded {
  account_sid: string
  name: RecordingName
  file: string
  /** what is known of the call, by the platform's names */
  metadata: Readonly<Record<string, string>>
}

/** Where recordings of one account lie. Keys are as `2026/05/01/{call_sid}.mp3`. */
export interface Place {
  find(key: string): Promise<Recording | undefined>
  /** The file may go once this is done. */
  keep(key: string, recorded: Recorded, stop: AbortSignal): Promise<void>
}

export interface Recordings {
  /** The recording of that name, also when it is of the day before or after. */
  find(account_sid: string, name: RecordingName): Promise<Recording | undefined>
  /** In the account's storage, or as a file where it has none or that takes nothing. */
  save(recorded: Recorded, stop: AbortSignal): Promise<void>
  /** Removes what lies here of an account that is no more; its own storage is its own. */
  forget(account_sid: string): Promise<void>
}

/** A long call is some hundred megabytes. */
const uploadSeconds = 600

const dayMilliseconds = 86_400_000

/** A call that crosses midnight, and clocks in other zones, name another day than that of the recording. */
const daysAround = (day: string): string[] =>
  [0, -1, 1].map((more) => new Date(Date.parse(day) + more * dayMilliseconds).toISOString().slice(0, 10))

export const keyOf = ({ call_sid, day, format }: RecordingName): string =>
  `${day.replaceAll('-', '/')}/${call_sid.toLowerCase()}.${format}`

const firstOf = async (place: Place, name: RecordingName): Promise<Recording | undefined> => {
  for (const day of daysAround(name.day)) {
    const found = await place.find(keyOf({ ...name, day }))
    if (found !== undefined) return found
  }
  return undefined
}

/** Not every library listens to the signal. */
const untilStopped = async (work: Promise<void>, stop: AbortSignal): Promise<void> => {
  const over = new AbortController()
  const stopped = once(stop, 'abort', over).then(() => {
    throw stop.reason
  })
  try {
    await Promise.race([work, stopped])
  } finally {
    over.abort()
  }
}

export interface RecordingsOptions {
  filesOf: (account_sid: string) => Place
  /** undefined where an account has no storage of its own; one request to it may take so many seconds */
  bucketOf: (account_sid: string, seconds?: number) => Promise<Place | undefined>
  forget: (account_sid: string) => Promise<void>
  onLost: (error: unknown, what: string) => void
}

export const createRecordings = ({ filesOf, bucketOf, forget, onLost }: RecordingsOptions): Recordings => ({
  forget,
  async find(account_sid, name) {
    const inFiles = await firstOf(filesOf(account_sid), name)
    if (inFiles !== undefined) return inFiles
    try {
      const bucket = await bucketOf(account_sid)
      return bucket && (await firstOf(bucket, name))
    } catch (error) {
      onLost(error, `recordings of account ${account_sid} cannot be looked for in its storage`)
      throw new Refused('recordings_away')
    }
  },
  async save(recorded, stop) {
    const { account_sid, name } = recorded
    const key = keyOf(name)
    try {
      const bucket = await bucketOf(account_sid, uploadSeconds)
      if (bucket !== undefined && !stop.aborted) return await untilStopped(bucket.keep(key, recorded, stop), stop)
    } catch (error) {
      onLost(error, `the storage of account ${account_sid} does not take recording ${key}, which is kept as a file`)
    }
    await filesOf(account_sid).keep(key, recorded, stop)
  },
})

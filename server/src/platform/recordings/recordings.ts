import type { StoredBytes } from '@patchbay/contract/endpoint'
import { rm, unlink } from 'node:fs/promises'
import { Refused } from '@patchbay/contract/errors'
import type { RecordFormat } from '@patchbay/contract/rules/recording-storage'
import { isAbsent } from './absent.ts'
import type { FilePlace } from './file-recordings.ts'
import type { Uploads } from './uploads.ts'
import { idOf, type WaitingNotes } from './waiting.ts'

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

export interface StoragePlace extends Place {
  /** The file stays. */
  copy(key: string, recorded: Recorded, stop: AbortSignal): Promise<void>
}

export interface Recordings {
  /** The recording of that name, also when it is of the day before or after. */
  find(account_sid: string, name: RecordingName): Promise<Recording | undefined>
  /** In the account's storage, or as a file: for good where it has none, until that takes it where it takes nothing now. */
  save(recorded: Recorded, stop: AbortSignal): Promise<void>
  /** Removes what lies here of an account that is no more; its own storage is its own. */
  forget(account_sid: string): Promise<void>
}

/** A long call is some hundred megabytes. */
export const uploadSeconds = 600

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

export interface RecordingsOptions {
  filesOf: (account_sid: string) => FilePlace
  /** of the same folder */
  waiting: WaitingNotes
  uploads: Uploads
  /** undefined where an account has no storage of its own; one request to it may take so many seconds */
  bucketOf: (account_sid: string, seconds?: number) => Promise<StoragePlace | undefined>
  forget: (account_sid: string) => Promise<void>
  onLost: (error: unknown, what: string) => void
}

export const createRecordings = ({
  filesOf,
  waiting,
  uploads,
  bucketOf,
  forget,
  onLost,
}: RecordingsOptions): Recordings => {
  const inStorage = async <T>(account_sid: string, work: (storage: Place) => Promise<T>): Promise<T | undefined> => {
    try {
      const bucket = await bucketOf(account_sid)
      return bucket && (await work(bucket))
    } catch (error) {
      onLost(error, `recordings of account ${account_sid} cannot be looked for in its storage`)
      throw new Refused('recordings_away')
    }
  }
  const isUnlinked = (path: string): Promise<boolean> =>
    unlink(path).then(
      () => true,
      (error: unknown) => isAbsent(error) ?? false,
    )
  const removeFile = async (account_sid: string, key: string): Promise<void> => {
    const isWaiting = await waiting.remove(account_sid, key)
    if ((await isUnlinked(filesOf(account_sid).pathOf(key))) || isWaiting) return
    // It was uploaded since it was found.
    await inStorage(account_sid, async (storage) => (await storage.find(key))?.remove())
  }
  const files = (account_sid: string): Place => {
    const place = filesOf(account_sid)
    return {
      ...place,
      async find(key) {
        const found = await place.find(key)
        return found && { ...found, remove: () => removeFile(account_sid, key) }
      },
    }
  }
  const withoutRemoved = (account_sid: string, storage: Place): Place => ({
    ...storage,
    find: async (key) => ((await waiting.isRemoved(account_sid, key)) ? undefined : storage.find(key)),
  })
  const wait = async (key: string, { account_sid, name, metadata }: Recorded): Promise<void> => {
    try {
      await waiting.add(key, { account_sid, name, metadata })
    } catch (error) {
      onLost(error, `recording ${key} of account ${account_sid} stays a file, as it cannot be noted that it waits`)
    }
  }
  const offer = async (
    key: string,
    recorded: Recorded,
    stop: AbortSignal,
  ): Promise<'no storage' | 'taken' | 'refused'> => {
    const { account_sid } = recorded
    const id = idOf(account_sid, key)
    try {
      const bucket = await bucketOf(account_sid, uploadSeconds)
      if (bucket === undefined) return 'no storage'
      if (stop.aborted) return 'refused'
      if (uploads.mayLand(id)) throw new Error('an older upload of it may still land, and would replace it')
      await uploads.run(id, stop, () => bucket.keep(key, recorded, stop))
      return 'taken'
    } catch (error) {
      const what = `the storage of account ${account_sid} does not take recording ${key}, which is kept as a file until it does`
      onLost(error, what)
      return 'refused'
    }
  }
  return {
    forget,
    async find(account_sid, name) {
      const inFiles = await firstOf(files(account_sid), name)
      if (inFiles !== undefined) return inFiles
      return inStorage(account_sid, (storage) => firstOf(withoutRemoved(account_sid, storage), name))
    },
    async save(recorded, stop) {
      const { account_sid, name } = recorded
      const key = keyOf(name)
      const place = filesOf(account_sid)
      const outcome = await offer(key, recorded, stop)
      if (outcome === 'refused') await wait(key, recorded)
      else await waiting.drop(account_sid, key)
      if (outcome === 'taken') await rm(place.pathOf(key), { force: true })
      else await place.keep(key, recorded, stop)
    },
  }
}

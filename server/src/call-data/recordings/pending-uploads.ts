import { recordFormats } from '@patchbay/contract/recordings/storage'
import { isSid } from '@patchbay/contract/values'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isAbsent } from './ignore-missing-file.ts'
import { linkNew, mode, namesIn } from './file-recordings.ts'
import { type Lock, lockFile } from './folder-lock.ts'
import { newRecordingId } from './recording-names.ts'

/**
 * The queue of recordings that wait for the storage of their account, as files, so that it survives a restart. The file
 * `waiting/{account_sid}.{2026-05-01-call_sid.mp3}.{state}` says what became of the recording: `waiting` is to be
 * uploaded, `uploaded` has a local copy that is to be removed, `removed` was deleted by a user, and a copy in the storage
 * is to be removed too. A change of state is a rename, so that of several processes one succeeds.
 */

const note = z.object({
  account_sid: z.string().refine(isSid),
  name: z.object({
    call_sid: z.string(),
    day: z.string(),
    format: z.enum(recordFormats),
    version: z.number().int().optional(),
  }),
  metadata: z.record(z.string(), z.string()),
  /** Entries of earlier versions have none. */
  recording_id: z.string().default(newRecordingId),
})

export type PendingNote = z.infer<typeof note>

const states = ['waiting', 'uploaded', 'removed'] as const
export type PendingState = (typeof states)[number]

/** An entry of the queue, by the name of its file. */
export interface PendingUpload {
  account_sid: string
  /** the same in all states of one recording */
  id: string
  state: PendingState
}

export interface PendingUploads {
  /**
   * Adds a recording in state `waiting`. Returns false if another recording has that key. Adding the same recording
   * again, as recovery after a kill does, returns true.
   */
  add(key: string, note: PendingNote): Promise<boolean>
  /** Returns whether a key has no entry of another recording, in any state. */
  isFree(account_sid: string, key: string, recording_id: string): Promise<boolean>
  all(): Promise<PendingUpload[]>
  /** Returns undefined if the entry is gone or cannot be read. */
  read(pending: PendingUpload): Promise<PendingNote | undefined>
  /** Returns epoch milliseconds, or undefined if the entry is gone. */
  changedAt(pending: PendingUpload): Promise<number | undefined>
  /** Moves an entry from `waiting` to `uploaded`. Returns false if it is no longer waiting. */
  uploaded(pending: PendingUpload): Promise<boolean>
  done(pending: PendingUpload): Promise<void>
  /** Moves an entry to `removed`. Returns false if there is none. */
  remove(account_sid: string, key: string): Promise<boolean>
  isRemoved(account_sid: string, key: string): Promise<boolean>
  /** Returns undefined while another process uploads from the same folder. */
  lock(): Lock | undefined
}

export const getEntryId = (account_sid: string, key: string): string =>
  `${account_sid.toLowerCase()}.${key.replaceAll('/', '-')}`

const parseEntryName = (name: string): PendingUpload[] => {
  const [account_sid = ''] = name.split('.')
  const state = states.find((candidate) => name.endsWith(`.${candidate}`))
  if (state === undefined || !isSid(account_sid)) return []
  return [{ account_sid, state, id: name.slice(0, -state.length - 1) }]
}

const readNote = async (path: string): Promise<PendingNote | undefined> => {
  const text = await readFile(path, 'utf8').catch(isAbsent)
  try {
    return note.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

export const createPendingUploads = (dataDir: string): PendingUploads => {
  const folder = join(dataDir, 'recordings', 'waiting')
  const getPath = (id: string, state: PendingState) => join(folder, `${id}.${state}`)
  const became = (id: string, from: PendingState, to: PendingState): Promise<boolean> =>
    rename(getPath(id, from), getPath(id, to)).then(
      () => true,
      (error: unknown) => isAbsent(error) ?? false,
    )
  const isEntry = async (id: string, state: PendingState): Promise<boolean> =>
    (await stat(getPath(id, state)).catch(isAbsent)) !== undefined

  return {
    async add(key, of) {
      const id = getEntryId(of.account_sid, key)
      await mkdir(folder, { recursive: true, mode })
      const written = join(folder, randomUUID())
      try {
        await writeFile(written, JSON.stringify(of), { flush: true, mode: 0o600 })
        if (!(await linkNew(written, getPath(id, 'waiting'))))
          return (await readNote(getPath(id, 'waiting')))?.recording_id === of.recording_id
      } finally {
        await rm(written, { force: true })
      }
      // An older entry leaves the state `waiting` by a rename, so that it is seen here at the latest.
      if (!(await isEntry(id, 'uploaded')) && !(await isEntry(id, 'removed'))) return true
      await rm(getPath(id, 'waiting'), { force: true })
      return false
    },
    async isFree(account_sid, key, recording_id) {
      const id = getEntryId(account_sid, key)
      if ((await isEntry(id, 'uploaded')) || (await isEntry(id, 'removed'))) return false
      const waiting = await readNote(getPath(id, 'waiting'))
      return waiting === undefined || waiting.recording_id === recording_id
    },
    all: async () => (await namesIn(folder)).flatMap(parseEntryName),
    read: ({ id, state }) => readNote(getPath(id, state)),
    changedAt: async ({ id, state }) => (await stat(getPath(id, state)).catch(isAbsent))?.ctimeMs,
    uploaded: ({ id }) => became(id, 'waiting', 'uploaded'),
    done: ({ id, state }) => rm(getPath(id, state), { force: true }),
    async remove(account_sid, key) {
      const id = getEntryId(account_sid, key)
      return (await became(id, 'waiting', 'removed')) || became(id, 'uploaded', 'removed')
    },
    isRemoved: (account_sid, key) => isEntry(getEntryId(account_sid, key), 'removed'),
    lock: () => lockFile(join(folder, 'lock')),
  }
}

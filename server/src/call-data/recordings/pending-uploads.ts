import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordFormats } from '@patchbay/contract/recordings/storage'
import { isSid } from '@patchbay/contract/shared/sids'
import { z } from 'zod'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import { type Lock, lockFile } from '../../lib/file-lock.ts'
import { folderMode, linkNew, listNames } from './file-recordings.ts'
import { newRecordingId } from './recording-names.ts'

/**
 * Queue of recordings that wait for an upload to the storage of their account. The queue consists of files, so that it
 * survives a restart. The state of a recording is part of the file name
 * `waiting/{account_sid}.{2026-05-01-call_sid.mp3}.{state}`:
 * - `waiting`: to be uploaded.
 * - `uploaded`: uploaded; the local copy must be removed.
 * - `removed`: deleted by a user; a copy in the storage must be removed too.
 * A state change is a rename, so only one of several processes succeeds.
 */

const pendingNote = z.object({
  account_sid: z.string().refine(isSid),
  name: z.object({
    call_sid: z.string(),
    day: z.string(),
    format: z.enum(recordFormats),
    version: z.number().int().optional(),
  }),
  metadata: z.record(z.string(), z.string()),
  /** Absent in entries of earlier versions. */
  recording_id: z.string().default(newRecordingId),
})

export type PendingNote = z.infer<typeof pendingNote>

const states = ['waiting', 'uploaded', 'removed'] as const
export type PendingState = (typeof states)[number]

/** An entry of the queue, identified by its file name. */
export interface PendingUpload {
  account_sid: string
  /** Identifies the recording in all states. */
  id: string
  state: PendingState
}

export interface PendingUploads {
  /**
   * Adds a recording in state `waiting`. Returns false if another recording has this key. Adding the same recording
   * again, as recovery after a kill does, returns true.
   */
  add(key: string, note: PendingNote): Promise<boolean>
  /** Returns whether no other recording has an entry with this key, in any state. */
  isFree(account_sid: string, key: string, recording_id: string): Promise<boolean>
  list(): Promise<PendingUpload[]>
  /** Returns undefined if the entry no longer exists or is invalid. */
  read(pending: PendingUpload): Promise<PendingNote | undefined>
  /** Returns milliseconds since the Unix epoch, or undefined if the entry no longer exists. */
  getChangedAt(pending: PendingUpload): Promise<number | undefined>
  /** Moves an entry from `waiting` to `uploaded`. Returns false if it is no longer waiting. */
  markUploaded(pending: PendingUpload): Promise<boolean>
  delete(pending: PendingUpload): Promise<void>
  /** Moves an entry to `removed`. Returns false if there is none. */
  markRemoved(account_sid: string, key: string): Promise<boolean>
  isRemoved(account_sid: string, key: string): Promise<boolean>
  /** Returns undefined while another process uploads from the same folder. */
  lock(): Lock | undefined
}

/** Returns the ID of the entry for a recording. It is the same in all states. */
export const getEntryId = (account_sid: string, key: string): string =>
  `${account_sid.toLowerCase()}.${key.replaceAll('/', '-')}`

const parseEntryName = (name: string): PendingUpload[] => {
  const [account_sid = ''] = name.split('.')
  const state = states.find((candidate) => name.endsWith(`.${candidate}`))
  if (state === undefined || !isSid(account_sid)) return []
  return [{ account_sid, state, id: name.slice(0, -state.length - 1) }]
}

const readNote = async (path: string): Promise<PendingNote | undefined> => {
  const text = await readFile(path, 'utf8').catch(ignoreMissingFile)
  try {
    return pendingNote.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

/** Opens the queue of uploads in a data folder, which several processes can share. */
export const createPendingUploads = (dataDir: string): PendingUploads => {
  const folder = join(dataDir, 'recordings', 'waiting')
  const getPath = (id: string, state: PendingState) => join(folder, `${id}.${state}`)
  const changeState = (id: string, from: PendingState, to: PendingState): Promise<boolean> =>
    rename(getPath(id, from), getPath(id, to)).then(
      () => true,
      (error: unknown) => ignoreMissingFile(error) ?? false,
    )
  const hasEntry = async (id: string, state: PendingState): Promise<boolean> =>
    (await stat(getPath(id, state)).catch(ignoreMissingFile)) !== undefined

  return {
    async add(key, newNote) {
      const id = getEntryId(newNote.account_sid, key)
      await mkdir(folder, { recursive: true, mode: folderMode })
      const temporaryFile = join(folder, randomUUID())
      try {
        await writeFile(temporaryFile, JSON.stringify(newNote), { flush: true, mode: 0o600 })
        if (!(await linkNew(temporaryFile, getPath(id, 'waiting'))))
          return (await readNote(getPath(id, 'waiting')))?.recording_id === newNote.recording_id
      } finally {
        await rm(temporaryFile, { force: true })
      }
      // An older entry that has just left the state `waiting` is visible in its new state by now, because the change is
      // a rename.
      if (!(await hasEntry(id, 'uploaded')) && !(await hasEntry(id, 'removed'))) return true
      await rm(getPath(id, 'waiting'), { force: true })
      return false
    },
    async isFree(account_sid, key, recording_id) {
      const id = getEntryId(account_sid, key)
      if ((await hasEntry(id, 'uploaded')) || (await hasEntry(id, 'removed'))) return false
      const waiting = await readNote(getPath(id, 'waiting'))
      return waiting === undefined || waiting.recording_id === recording_id
    },
    list: async () => (await listNames(folder)).flatMap(parseEntryName),
    read: ({ id, state }) => readNote(getPath(id, state)),
    getChangedAt: async ({ id, state }) => (await stat(getPath(id, state)).catch(ignoreMissingFile))?.ctimeMs,
    markUploaded: ({ id }) => changeState(id, 'waiting', 'uploaded'),
    delete: ({ id, state }) => rm(getPath(id, state), { force: true }),
    async markRemoved(account_sid, key) {
      const id = getEntryId(account_sid, key)
      return (await changeState(id, 'waiting', 'removed')) || changeState(id, 'uploaded', 'removed')
    },
    isRemoved: (account_sid, key) => hasEntry(getEntryId(account_sid, key), 'removed'),
    lock: () => lockFile(join(folder, 'lock')),
  }
}

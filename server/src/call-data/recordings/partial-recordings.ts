import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { recordFormats } from '@patchbay/contract/recordings/storage'
import { dayMs } from '@patchbay/contract/shared/durations'
import { isSid } from '@patchbay/contract/shared/sids'
import { z } from 'zod'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import { type Lock, lockFile } from '../../lib/file-lock.ts'
import { folderMode, getUnfinishedFolder, listNames } from './file-recordings.ts'
import { newRecordingId } from './recording-names.ts'

/**
 * Tracks recordings in progress, so that those of a killed process can be completed. A draft is
 * `unfinished/{process}.{draft}`. Its description is `under-way/{process}.{draft}.json`. While the process runs, it
 * locks `under-way/{process}.lock`.
 */

const draftNote = z.object({
  account_sid: z.string().refine(isSid),
  call_sid: z.string().refine(isSid),
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  format: z.enum(recordFormats),
  sampleRate: z.number().int().positive(),
  metadata: z.record(z.string(), z.string()),
  /** Absent in drafts of earlier versions. */
  recording_id: z.string().default(newRecordingId),
})

/** Description of a draft: the resulting recording, its sample rate in Hz, and metadata with jambonz's names. */
export type DraftNote = z.infer<typeof draftNote>

export interface Drafts {
  /** Returns the path of a new file for the draft. */
  begin(note: DraftNote): Promise<string>
  /** Removes a draft whose file was moved away or is empty. */
  done(file: string): Promise<void>
  /**
   * Passes each draft of a killed process to `finish`, which moves the file away. If `finish` throws, the draft is
   * retried later.
   */
  recover(
    finish: (file: string, note: DraftNote) => Promise<void>,
    onBackgroundError: (error: unknown) => void,
  ): Promise<void>
  /** Releases the lock, so that other processes recover unfinished drafts. */
  close(): void
}

const isOld = async (path: string): Promise<boolean> => {
  const stats = await stat(path).catch(ignoreMissingFile)
  return stats !== undefined && stats.mtimeMs < Date.now() - dayMs
}

const readNote = async (path: string): Promise<DraftNote | undefined> => {
  const text = await readFile(path, 'utf8').catch(ignoreMissingFile)
  try {
    return draftNote.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

/** Opens the drafts in a data folder, which several processes can share. */
export const createDrafts = (dataDir: string): Drafts => {
  const draftsFolder = getUnfinishedFolder(dataDir)
  const notesFolder = join(dataDir, 'recordings', 'under-way')
  const getLockPath = (owner: string) => join(notesFolder, `${owner}.lock`)
  const getNotePath = (name: string) => join(notesFolder, `${name}.json`)
  let own: { id: string; lock: Lock } | undefined

  const acquireOwnId = async (): Promise<string> => {
    for (const folder of [draftsFolder, notesFolder]) await mkdir(folder, { recursive: true, mode: folderMode })
    if (own !== undefined) return own.id
    const id = randomUUID()
    const lock = lockFile(getLockPath(id))
    if (lock === undefined) throw new Error('a lock of this process is held by another process')
    own = { id, lock }
    return id
  }

  /** Returns whether the draft has been handled completely. */
  const recoverDraft = async (
    name: string,
    finish: (file: string, note: DraftNote) => Promise<void>,
  ): Promise<boolean> => {
    const file = join(draftsFolder, name)
    const note = await readNote(getNotePath(name))
    if (note === undefined) {
      if (!(await isOld(file))) return false
      await rm(file, { force: true })
    } else await finish(file, note)
    await rm(getNotePath(name), { force: true })
    return true
  }

  const belongsTo = (owner: string) => (name: string) => name.startsWith(`${owner}.`)

  const recoverOwner: (owner: string, ...rest: Parameters<Drafts['recover']>) => Promise<void> = async (
    owner,
    finish,
    onBackgroundError,
  ) => {
    const lock = lockFile(getLockPath(owner))
    if (lock === undefined) return
    try {
      let isAll = true
      // Processes that had the lock before may have finished some drafts.
      for (const name of (await listNames(draftsFolder)).filter(belongsTo(owner)))
        try {
          isAll = (await recoverDraft(name, finish)) && isAll
        } catch (error) {
          isAll = false
          onBackgroundError(error)
        }
      if (!isAll) return
      for (const name of (await listNames(notesFolder)).filter(belongsTo(owner)))
        await rm(join(notesFolder, name), { force: true })
    } finally {
      lock.release()
    }
  }

  const parseOwner = (name: string): string | undefined => {
    const [owner = '', rest] = name.split('.')
    return rest !== undefined && isSid(owner) && owner !== own?.id ? owner : undefined
  }

  return {
    async begin(note) {
      const name = `${await acquireOwnId()}.${randomUUID()}`
      await writeFile(getNotePath(name), JSON.stringify(note), { flag: 'wx', mode: 0o600 })
      return join(draftsFolder, name)
    },
    done: (file) => rm(getNotePath(basename(file)), { force: true }),
    async recover(finish, onBackgroundError) {
      const owners = new Set((await listNames(draftsFolder)).map(parseOwner))
      // Only old locks are removed, because a new one may be about to be acquired by its owner.
      for (const name of await listNames(notesFolder))
        if (await isOld(join(notesFolder, name))) owners.add(parseOwner(name))
      if (owners.size > 0) await mkdir(notesFolder, { recursive: true, mode: folderMode })
      for (const owner of owners) if (owner !== undefined) await recoverOwner(owner, finish, onBackgroundError)
      for (const name of (await listNames(draftsFolder)).filter((draft) => !draft.includes('.')))
        if (await isOld(join(draftsFolder, name))) await rm(join(draftsFolder, name), { force: true })
    },
    close() {
      own?.lock.release()
      own = undefined
    },
  }
}

import { recordFormats } from '@patchbay/contract/recordings/storage'
import { isSid } from '@patchbay/contract/values'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { isAbsent } from './ignore-missing-file.ts'
import { mode, namesIn, unfinishedFolder } from './file-recordings.ts'
import { type Lock, lockFile } from './folder-lock.ts'
import { newRecordingId } from './recording-names.ts'

/**
 * Recordings under way, so that those of a process that was killed can be finished. A draft is
 * `unfinished/{process}.{draft}`; what it will be stands in `under-way/{process}.{draft}.json`, and as long as the
 * process lives it holds `under-way/{process}.lock`.
 */

const note = z.object({
  account_sid: z.string().refine(isSid),
  call_sid: z.string().refine(isSid),
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  format: z.enum(recordFormats),
  sampleRate: z.number().int().positive(),
  metadata: z.record(z.string(), z.string()),
  /** Drafts of earlier versions have none. */
  recording_id: z.string().default(newRecordingId),
})

/** What a draft will be; samples a second, and the metadata by the platform's names. */
export type DraftNote = z.infer<typeof note>

export interface Drafts {
  /** the file that is to be written, for nobody else to read */
  begin(of: DraftNote): Promise<string>
  /** The file was taken away, or holds nothing. */
  done(file: string): Promise<void>
  /** Gives each draft that a process left behind to `finish`, which takes its file away; one that throws is left for later. */
  recover(
    finish: (file: string, of: DraftNote) => Promise<void>,
    onBackgroundError: (error: unknown) => void,
  ): Promise<void>
  /** Whatever was not done is for others to recover. */
  close(): void
}

const dayMilliseconds = 86_400_000

const isOld = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(isAbsent)
  return found !== undefined && found.mtimeMs < Date.now() - dayMilliseconds
}

const readNote = async (path: string): Promise<DraftNote | undefined> => {
  const text = await readFile(path, 'utf8').catch(isAbsent)
  try {
    return note.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

export const createDrafts = (dataDir: string): Drafts => {
  const drafts = unfinishedFolder(dataDir)
  const about = join(dataDir, 'recordings', 'under-way')
  const lockOf = (owner: string) => join(about, `${owner}.lock`)
  const noteOf = (name: string) => join(about, `${name}.json`)
  let own: { id: string; lock: Lock } | undefined

  const owned = async (): Promise<string> => {
    for (const folder of [drafts, about]) await mkdir(folder, { recursive: true, mode })
    if (own !== undefined) return own.id
    const id = randomUUID()
    const lock = lockFile(lockOf(id))
    if (lock === undefined) throw new Error('a lock of our own is held by somebody else')
    own = { id, lock }
    return id
  }

  /** Answers whether nothing is left of it. */
  const recoverOne = async (name: string, finish: (file: string, of: DraftNote) => Promise<void>): Promise<boolean> => {
    const file = join(drafts, name)
    const of = await readNote(noteOf(name))
    if (of === undefined) {
      if (!(await isOld(file))) return false
      await rm(file, { force: true })
    } else await finish(file, of)
    await rm(noteOf(name), { force: true })
    return true
  }

  const isOf = (owner: string) => (name: string) => name.startsWith(`${owner}.`)

  const recoverOwner: (owner: string, ...rest: Parameters<Drafts['recover']>) => Promise<void> = async (
    owner,
    finish,
    onBackgroundError,
  ) => {
    const lock = lockFile(lockOf(owner))
    if (lock === undefined) return
    try {
      let isAll = true
      // Those who held the lock before may have finished some.
      for (const name of (await namesIn(drafts)).filter(isOf(owner)))
        try {
          isAll = (await recoverOne(name, finish)) && isAll
        } catch (error) {
          isAll = false
          onBackgroundError(error)
        }
      if (!isAll) return
      for (const name of (await namesIn(about)).filter(isOf(owner))) await rm(join(about, name), { force: true })
    } finally {
      lock.release()
    }
  }

  const ownerOf = (name: string): string | undefined => {
    const [owner = '', rest] = name.split('.')
    return rest !== undefined && isSid(owner) && owner !== own?.id ? owner : undefined
  }

  return {
    async begin(of) {
      const name = `${await owned()}.${randomUUID()}`
      await writeFile(noteOf(name), JSON.stringify(of), { flag: 'wx', mode: 0o600 })
      return join(drafts, name)
    },
    done: (file) => rm(noteOf(basename(file)), { force: true }),
    async recover(finish, onBackgroundError) {
      const owners = new Set((await namesIn(drafts)).map(ownerOf))
      // A lock that is so old and can be had is of nobody; a new one may be about to be taken by its owner.
      for (const name of await namesIn(about)) if (await isOld(join(about, name))) owners.add(ownerOf(name))
      if (owners.size > 0) await mkdir(about, { recursive: true, mode })
      for (const owner of owners) if (owner !== undefined) await recoverOwner(owner, finish, onBackgroundError)
      for (const name of (await namesIn(drafts)).filter((draft) => !draft.includes('.')))
        if (await isOld(join(drafts, name))) await rm(join(drafts, name), { force: true })
    },
    close() {
      own?.lock.release()
      own = undefined
    },
  }
}

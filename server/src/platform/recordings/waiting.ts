import { recordFormats } from '@patchbay/contract/rules/recording-storage'
import { isSid } from '@patchbay/contract/values'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isAbsent } from './absent.ts'
import { mode, namesIn } from './file-recordings.ts'
import { type Lock, lockFile } from './folder-lock.ts'

/**
 * Recordings that are files until the storage of their account takes them. Each has a note
 * `waiting/{account_sid}.{2026-05-01-call_sid.mp3}.{state}`, and whoever renames it has decided: `waiting` is still to be
 * uploaded, `uploaded` has a file that is to go, `removed` was deleted, and what the storage may have of it goes.
 */

const note = z.object({
  account_sid: z.string().refine(isSid),
  name: z.object({ call_sid: z.string(), day: z.string(), format: z.enum(recordFormats) }),
  metadata: z.record(z.string(), z.string()),
})

export type WaitingNote = z.infer<typeof note>

const states = ['waiting', 'uploaded', 'removed'] as const
export type WaitingState = (typeof states)[number]

/** A note by the name of its file, without what it says. */
export interface Waiting {
  account_sid: string
  /** the same for all states of one recording */
  id: string
  state: WaitingState
}

export interface WaitingNotes {
  add(key: string, note: WaitingNote): Promise<void>
  all(): Promise<Waiting[]>
  /** Undefined where there is none, or where it cannot be read. */
  read(waiting: Waiting): Promise<WaitingNote | undefined>
  /** Epoch milliseconds; undefined where it is gone. */
  writtenAt(waiting: Waiting): Promise<number | undefined>
  /** False where somebody else was faster. */
  uploaded(waiting: Waiting): Promise<boolean>
  done(waiting: Waiting): Promise<void>
  /** Answers whether it was waiting. */
  remove(account_sid: string, key: string): Promise<boolean>
  isRemoved(account_sid: string, key: string): Promise<boolean>
  /** What was waiting under that key counts no more. */
  drop(account_sid: string, key: string): Promise<void>
  /** Undefined while another uploader of the same folder lives. */
  lock(): Lock | undefined
}

/** What a recording is called here, of whatever state. */
export const idOf = (account_sid: string, key: string): string =>
  `${account_sid.toLowerCase()}.${key.replaceAll('/', '-')}`

const waitingOf = (name: string): Waiting[] => {
  const [account_sid = ''] = name.split('.')
  const state = states.find((known) => name.endsWith(`.${known}`))
  if (state === undefined || !isSid(account_sid)) return []
  return [{ account_sid, state, id: name.slice(0, -state.length - 1) }]
}

export const createWaitingNotes = (dataDir: string): WaitingNotes => {
  const folder = join(dataDir, 'recordings', 'waiting')
  const pathOf = (id: string, state: WaitingState) => join(folder, `${id}.${state}`)
  const became = (id: string, from: WaitingState, to: WaitingState): Promise<boolean> =>
    rename(pathOf(id, from), pathOf(id, to)).then(
      () => true,
      (error: unknown) => isAbsent(error) ?? false,
    )
  const gone = (id: string, some: readonly WaitingState[]) =>
    Promise.all(some.map((state) => rm(pathOf(id, state), { force: true })))
  return {
    async add(key, of) {
      const id = idOf(of.account_sid, key)
      await mkdir(folder, { recursive: true, mode })
      const written = join(folder, randomUUID())
      try {
        await writeFile(written, JSON.stringify(of), { flush: true, mode: 0o600 })
        await rename(written, pathOf(id, 'waiting'))
      } finally {
        await rm(written, { force: true })
      }
      await gone(id, ['uploaded', 'removed'])
    },
    all: async () => (await namesIn(folder)).flatMap(waitingOf),
    async read({ id, state }) {
      const text = await readFile(pathOf(id, state), 'utf8').catch(isAbsent)
      try {
        return note.safeParse(JSON.parse(text ?? '')).data
      } catch {
        return undefined
      }
    },
    writtenAt: async ({ id, state }) => (await stat(pathOf(id, state)).catch(isAbsent))?.mtimeMs,
    uploaded: ({ id }) => became(id, 'waiting', 'uploaded'),
    done: ({ id, state }) => rm(pathOf(id, state), { force: true }),
    async remove(account_sid, key) {
      const id = idOf(account_sid, key)
      return (await became(id, 'waiting', 'removed')) || became(id, 'uploaded', 'removed')
    },
    isRemoved: async (account_sid, key) =>
      (await stat(pathOf(idOf(account_sid, key), 'removed')).catch(isAbsent)) !== undefined,
    async drop(account_sid, key) {
      await gone(idOf(account_sid, key), states)
    },
    lock: () => lockFile(join(folder, 'lock')),
  }
}

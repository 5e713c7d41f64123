import { rm, stat } from 'node:fs/promises'
import { isAbsent } from './absent.ts'
import type { FilePlace } from './file-recordings.ts'
import type { Lock } from './folder-lock.ts'
import { keyOf, type Place, type StoragePlace, uploadSeconds } from './recordings.ts'
import type { Uploads } from './uploads.ts'
import type { Waiting, WaitingNote, WaitingNotes } from './waiting.ts'

/** Uploads what waits, of all processes that share a data folder in one. */
export interface Uploader {
  /** tries what is due */
  pass(): Promise<void>
  /** Ends what it is at; another may go on. */
  stop(): void
  /** Once the last pass is over. */
  release(): void
}

interface UploaderOptions {
  notes: WaitingNotes
  uploads: Uploads
  filesOf: (account_sid: string) => FilePlace
  bucketOf: (account_sid: string, seconds?: number) => Promise<StoragePlace | undefined>
  onLost: (error: unknown, what: string) => void
  /** epoch milliseconds */
  now?: () => number
}

const minuteMilliseconds = 60_000
const mostMilliseconds = 60 * minuteMilliseconds
const dayMilliseconds = 86_400_000

/** Of one account in one pass, so that those that come to wait meanwhile have their turn. */
const mostOfAccount = 50

const accountsAtOnce = 4

/** A minute after the first failure, then twice as long each time, up to an hour. */
const waitAfter = (failures: number): number => Math.min(mostMilliseconds, minuteMilliseconds * 2 ** (failures - 1))

export const createUploader = ({
  notes,
  uploads,
  filesOf,
  bucketOf,
  onLost,
  now = Date.now,
}: UploaderOptions): Uploader => {
  const stopping = new AbortController()
  const accounts = new Map<string, { failures: number; due: number }>()
  const failuresOf = new Map<string, number>()
  let lock: Lock | undefined

  const limited = (): AbortSignal => AbortSignal.any([stopping.signal, AbortSignal.timeout(uploadSeconds * 1000)])

  const put = async (waiting: Waiting, of: WaitingNote, bucket: StoragePlace): Promise<void> => {
    const key = keyOf(of.name)
    const file = filesOf(of.account_sid).pathOf(key)
    const before = await stat(file).catch(isAbsent)
    if (before === undefined) {
      // It may be about to be moved there.
      if (((await notes.writtenAt(waiting)) ?? 0) < now() - dayMilliseconds) await notes.done(waiting)
      return
    }
    if (uploads.mayLand(waiting.id)) return
    const stop = limited()
    await uploads.run(waiting.id, stop, () => bucket.copy(key, { ...of, file }, stop))
    const after = await stat(file).catch(isAbsent)
    // Recorded again meanwhile: that one waits.
    if (after !== undefined && (after.ino !== before.ino || after.mtimeMs !== before.mtimeMs)) return
    if (!(await notes.uploaded(waiting))) return
    await rm(file, { force: true })
    await notes.done({ ...waiting, state: 'uploaded' })
  }

  const takeBack = async ({ account_sid, name }: WaitingNote, bucket: Place): Promise<void> => {
    const key = keyOf(name)
    await rm(filesOf(account_sid).pathOf(key), { force: true })
    const found = await bucket.find(key)
    if (found?.account_sid?.toLowerCase() === account_sid.toLowerCase()) await found.remove()
  }

  const handle = async (waiting: Waiting, bucket: StoragePlace | undefined): Promise<void> => {
    const of = await notes.read(waiting)
    if (of === undefined) return
    if (waiting.state === 'waiting' && bucket !== undefined) return put(waiting, of, bucket)
    // Before the storage is asked: what lands after it has answered is looked for the next time.
    const mayLand = uploads.mayLand(waiting.id)
    if (waiting.state === 'uploaded') await rm(filesOf(of.account_sid).pathOf(keyOf(of.name)), { force: true })
    if (waiting.state === 'removed' && bucket !== undefined) await takeBack(of, bucket)
    if (!mayLand) await notes.done(waiting)
  }

  const failed = (account_sid: string, error: unknown, count: number): void => {
    const failures = (accounts.get(account_sid)?.failures ?? 0) + 1
    const wait = waitAfter(failures)
    accounts.set(account_sid, { failures, due: now() + wait })
    const minutes = wait / minuteMilliseconds
    onLost(
      error,
      `the storage of account ${account_sid} does not take what waits for it (${count} recordings); it is tried again in ${minutes} minutes`,
    )
  }

  const ofAccount = async (account_sid: string, all: readonly Waiting[]): Promise<void> => {
    const failuresSoFar = ({ id }: Waiting) => failuresOf.get(id) ?? 0
    const inTurn = all.toSorted((one, other) => failuresSoFar(one) - failuresSoFar(other)).slice(0, mostOfAccount)
    let current: Waiting | undefined
    try {
      const bucket = await bucketOf(account_sid, uploadSeconds)
      for (current of inTurn) {
        if (stopping.signal.aborted) return
        await handle(current, bucket)
        failuresOf.delete(current.id)
        accounts.delete(account_sid)
      }
    } catch (error) {
      if (stopping.signal.aborted) return
      if (current) failuresOf.set(current.id, failuresSoFar(current) + 1)
      failed(account_sid, error, all.length)
    }
  }

  const forgetAllBut = (all: readonly Waiting[]): void => {
    const ids = new Set(all.map(({ id }) => id))
    for (const id of failuresOf.keys()) if (!ids.has(id)) failuresOf.delete(id)
    const sids = new Set(all.map(({ account_sid }) => account_sid))
    for (const sid of accounts.keys()) if (!sids.has(sid)) accounts.delete(sid)
  }

  const dueOf = (all: readonly Waiting[]) => {
    const due = new Map<string, Waiting[]>()
    for (const waiting of all) {
      const { account_sid } = waiting
      if ((accounts.get(account_sid)?.due ?? 0) > now()) continue
      const others = due.get(account_sid)
      if (others) others.push(waiting)
      else due.set(account_sid, [waiting])
    }
    return due.entries()
  }

  return {
    async pass() {
      const all = await notes.all()
      forgetAllBut(all)
      if (all.length === 0 || stopping.signal.aborted) return
      lock ??= notes.lock()
      if (lock === undefined) return
      const due = dueOf(all)
      const work = async () => {
        for (const [account_sid, waiting] of due) await ofAccount(account_sid, waiting)
      }
      await Promise.all(Array.from({ length: accountsAtOnce }, work))
    },
    stop: () => stopping.abort(new Error('the server is closing')),
    release() {
      lock?.release()
      lock = undefined
    },
  }
}

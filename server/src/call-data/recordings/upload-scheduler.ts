import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import { groupBy } from '@patchbay/rules/lib/groups'
import { createBackgroundQueue } from '../../lib/background-queue.ts'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import type { Lock } from '../../lib/file-lock.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import type { FileStore } from './file-recordings.ts'
import { createUploadHandler, maxUploadSeconds, type OpenBucket } from './handle-upload.ts'
import type { PendingUpload, PendingUploads } from './pending-uploads.ts'
import type { StorageLocation } from './recording.ts'
import type { RunningUploads } from './running-uploads.ts'

/**
 * Uploads recordings in the background. Capacity is shared fairly between accounts, and each account uploads one
 * recording at a time, so that a storage that hangs delays only its own account. After a failure, the account is
 * retried with exponential backoff in slots that accounts with a working storage do not need. Of the processes that
 * share a data folder, one uploads.
 */
export interface UploadScheduler {
  /** Queues the uploads that are due. Does not wait for them. */
  queueDue(): Promise<void>
  /** Resolves when no upload is queued or running. */
  settled(): Promise<void>
  /** Aborts running uploads. The recordings remain queued on disk for another process or the next start. */
  stop(): void
  /** Lets another process upload. Must be called after `stop`. */
  release(): void
}

interface UploadSchedulerOptions {
  pending: PendingUploads
  running: RunningUploads
  getFiles: (account_sid: string) => FileStore
  /** Returns undefined for an account without a storage. `seconds` is the request timeout. */
  openStorage: (account_sid: string, seconds?: number) => Promise<StorageLocation | undefined>
  onBackgroundError: OnBackgroundError
  /** Called when a storage rejects a recording for the first time since the start of this process. */
  onRejected?: (recording: { account_sid: string; call_sid: string }, error: unknown) => Promise<void>
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/** Delays before the next upload to a storage that does not accept recordings. */
const retryBackoff = { firstMs: minuteMs, maxMs: hourMs }

/** Maximum queued uploads per account, so that memory use does not depend on the number of files on disk. */
const maxQueuedPerAccount = 50

const concurrency = { fastConcurrency: 4, slowConcurrency: 16, maxPerTenant: 1, slowAfterMs: 5000 }

/**
 * Creates the scheduler that uploads queued recordings to the storages of their accounts. Of the processes that share a
 * data folder, one uploads at a time.
 */
export const createUploadScheduler = ({
  pending,
  running,
  getFiles,
  openStorage,
  onBackgroundError,
  onRejected = () => Promise.resolve(),
  now = () => performance.now(),
}: UploadSchedulerOptions): UploadScheduler => {
  const stopping = new AbortController()
  const failing = new Map<string, { failures: number; dueAt: number }>()
  const failuresById = new Map<string, number>()
  const queue = createBackgroundQueue({
    name: 'recording_uploads',
    ...concurrency,
    onError: (error) => onBackgroundError(error, 'an upload of a recording failed unexpectedly'),
  })
  const handle = createUploadHandler({ pending, running, getFiles, onBackgroundError, stopped: stopping.signal })
  let lock: Lock | undefined

  const isDue = (account_sid: string): boolean => (failing.get(account_sid)?.dueAt ?? now()) <= now()

  const recordFailure = (entry: PendingUpload, error: unknown, count: number): void => {
    const { account_sid, id } = entry
    failuresById.set(id, (failuresById.get(id) ?? 0) + 1)
    const failures = (failing.get(account_sid)?.failures ?? 0) + 1
    const backoff = exponentialBackoffMs(failures, retryBackoff)
    failing.set(account_sid, { failures, dueAt: now() + backoff })
    const fields = { account_sid, waiting_recordings: count, retry_minutes: backoff / minuteMs }
    onBackgroundError(error, 'a storage did not accept a recording; retrying', fields)
  }

  /** Reports a recording that its storage did not accept. A failure of the report is only logged. */
  const reportRejection = async (entry: PendingUpload, error: unknown): Promise<void> => {
    if (entry.state !== 'waiting' || failuresById.get(entry.id) !== 1) return
    try {
      const note = await pending.read(entry)
      if (note) await onRejected({ account_sid: note.account_sid, call_sid: note.name.call_sid }, error)
    } catch (reason) {
      onBackgroundError(reason, 'an alert about a recording could not be stored', { account_sid: entry.account_sid })
    }
  }

  const attempt = async (entry: PendingUpload, openBucket: OpenBucket, count: number): Promise<void> => {
    if (stopping.signal.aborted || !isDue(entry.account_sid)) return
    try {
      await handle(entry, openBucket)
      failuresById.delete(entry.id)
      failing.delete(entry.account_sid)
    } catch (error) {
      if (stopping.signal.aborted) return
      recordFailure(entry, error, count)
      await reportRejection(entry, error)
    }
  }

  const dropStaleState = (all: readonly PendingUpload[]): void => {
    const ids = new Set(all.map(({ id }) => id))
    for (const id of failuresById.keys()) if (!ids.has(id)) failuresById.delete(id)
    const sids = new Set(all.map(({ account_sid }) => account_sid))
    for (const sid of failing.keys()) if (!sids.has(sid)) failing.delete(sid)
  }

  const queueAccount = (account_sid: string, entries: readonly PendingUpload[]): void => {
    let bucket: ReturnType<OpenBucket> | undefined
    const openBucket = () => (bucket ??= openStorage(account_sid, maxUploadSeconds))
    const countFailures = ({ id }: PendingUpload) => failuresById.get(id) ?? 0
    const next = entries.toSorted((a, b) => countFailures(a) - countFailures(b)).slice(0, maxQueuedPerAccount)
    for (const entry of next)
      queue.add({
        key: `${entry.id}.${entry.state}`,
        tenant: account_sid,
        isSuspect: failing.has(account_sid),
        run: () => attempt(entry, openBucket, entries.length),
      })
  }

  return {
    async queueDue() {
      const all = await pending.list()
      dropStaleState(all)
      if (all.length === 0 || stopping.signal.aborted) return
      lock ??= pending.lock()
      if (lock === undefined) return
      for (const [account_sid, entries] of groupBy(all, (entry) => entry.account_sid))
        if (isDue(account_sid)) queueAccount(account_sid, entries)
    },
    settled: () => queue.settled(),
    stop() {
      queue.clear()
      stopping.abort(new Error('the server is closing'))
    },
    release() {
      lock?.release()
      lock = undefined
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { dayMs } from '@patchbay/contract/shared/durations'
import { removeDeletedEntries } from '../call-data/conversations/deleted-index-entries.ts'
import type { Database } from '../database/engine.ts'
import { truncateWal } from '../database/wal-checkpoint.ts'
import { monotonicMs } from '../lib/clock.ts'

/** Pause after each step, in which other requests run. */
const pauseMs = 20

export interface OverwriteJobOptions {
  database: Database
  signal: AbortSignal
}

/**
 * Creates the job that removes deleted data from the files of SQLite: what was deleted or changed since the last run
 * from the write-ahead log, and once a day the words of deleted transcripts from the index, most of which is written
 * again.
 */
export const createOverwriteJob = ({ database, signal }: OverwriteJobOptions): (() => Promise<void>) => {
  let mergedAt: number | undefined
  return async () => {
    if (mergedAt === undefined || monotonicMs() - mergedAt >= dayMs) {
      while (!signal.aborted && (await removeDeletedEntries(database))) await pause(pauseMs)
      mergedAt = monotonicMs()
    }
    await truncateWal(database)
  }
}

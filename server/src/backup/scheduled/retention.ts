import { dayMs } from '@patchbay/contract/shared/durations'

/** A verified backup. Its age is that of the data, from the start of the backup. */
interface StoredBackup {
  name: string
  started_at: number
}

export interface RetentionRule {
  /** The number of newest backups that are kept, at least 1. */
  keep: number
  /** Backups of this many days are kept in addition. */
  keepDays: number
}

/**
 * Returns the backups that are neither among the newest ones nor young enough to be kept.
 * @param now milliseconds since the Unix epoch
 */
export const selectExpired = <T extends StoredBackup>(
  backups: readonly T[],
  { keep, keepDays }: RetentionRule,
  now: number,
): T[] =>
  backups
    .toSorted((a, b) => b.started_at - a.started_at)
    .slice(keep)
    .filter(({ started_at }) => started_at <= now - keepDays * dayMs)

import { hourMs } from '@patchbay/contract/shared/durations'
import type { BackupStatus } from '../../backup/scheduled/backup-list.ts'

/** A backup that starts late, or is repeated after a failure, does not need attention before. The alert rule agrees. */
const graceMs = 6 * hourMs

/** Returns whether a backup is overdue and none is being written. */
export const isBackupOverdue = ({ dueAt, isRunning }: BackupStatus, now: number): boolean =>
  !isRunning && dueAt !== null && now > dueAt + graceMs

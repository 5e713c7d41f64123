import { createBackupProcess } from '../backup/scheduled/backup-process.ts'
import { createScheduledBackups } from '../backup/scheduled/scheduled-backups.ts'
import { createAlertSender } from '../call-data/alerts/alert-sender.ts'
import type { PeriodicJob } from '../lib/run-periodically.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type BulkHandlers } from '../resources/bulk-changes/change-record.ts'
import { createRecordRunner } from '../resources/bulk-changes/run-records.ts'
import type { Services } from '../resources/services.ts'
import { createBulkChangeJob } from './change-records.ts'
import { createModelCheckJob } from './check-reviews.ts'
import { createRealmRecordsCleanup } from './cleanup-realm-records.ts'
import { createOlderRowsJob } from './complete-older-rows.ts'
import { createConversationJob } from './compute-conversations.ts'
import { createMarkCount, markCountIntervalMs } from './count-sip-marks.ts'
import { createDeletionJob } from './delete-call-data.ts'
import { createPhoneClientCleanup } from './delete-phone-clients.ts'
import { createTranscriptJob } from './maintain-transcripts.ts'
import { createOverwriteJob } from './overwrite-deleted-data.ts'
import { createAlertReturn } from './return-alerts.ts'
import { blockWatchIntervalMs, createBlockWatch } from './watch-blocked-numbers.ts'
import { createHealthWatch, watchIntervalMs } from './watch-carrier-health.ts'
import { createLimitWatch, limitWatchIntervalMs } from './watch-conversation-limits.ts'

/** The periodic jobs of a server. */

export interface Job extends PeriodicJob {
  /** Waits for work that its runs have started and not awaited. */
  settle?(): Promise<void>
  /** Runs when the server has closed. */
  release?(): void
}

/** Services of the jobs, and the signal that aborts when the process stops. Interrupted work continues later. */
interface Dependencies {
  services: Services
  /** The handlers of endpoints that bulk changes use. */
  handlers: BulkHandlers
  signal: AbortSignal
}

const backupCheckMs = 10_000
const shortIntervalMs = 2000
const queueIntervalMs = 5000

/** Seconds that deliveries have at a shutdown. A later one is repeated by another process, or after the next start. */
const deliverySeconds = 3

const createBackups = ({ services, signal }: Dependencies): Job[] => {
  const { configuration, database, onBackgroundError } = services
  if (configuration.backups === null) return []
  const backups = createScheduledBackups({
    database,
    settings: configuration.backups,
    vendorAddresses: configuration.outgoing.vendorAddresses,
    writeBackup: createBackupProcess(process.argv[1] ?? ''),
    onBackgroundError,
  })
  signal.addEventListener('abort', () => backups.stop())
  return [
    {
      name: 'scheduled_backup',
      run: () => backups.runDue(),
      intervalMs: backupCheckMs,
      failureMessage: 'the scheduled backup failed; retrying',
    },
  ]
}

/** The jobs that watch what Patchbay stores. With an InfluxDB, calls and alerts are there. */
const createWatches = ({ services }: Dependencies): Job[] => {
  const { calls, captures, configuration, counters, database } = services
  if (configuration.timeSeries !== null) return []
  return [
    {
      name: 'conversation_limits',
      run: createLimitWatch({ database, counters }),
      intervalMs: limitWatchIntervalMs,
      failureMessage: 'conversations could not be compared with their limits; retrying',
    },
    {
      name: 'sip_marks',
      run: createMarkCount({ database, counters, calls, captures }),
      intervalMs: markCountIntervalMs,
      failureMessage: 'blocked calls and identities in captured SIP could not be counted; retrying',
    },
    {
      name: 'blocked_numbers',
      run: createBlockWatch({ database, counters }),
      intervalMs: blockWatchIntervalMs,
      failureMessage: 'blocked calling numbers could not be checked; retrying',
    },
  ]
}

const createCarrierHealthJob = ({ services }: Dependencies): Job => ({
  name: 'carrier_health',
  run: createHealthWatch({
    ...services,
    health: services.platformHealth,
    pingTtlSeconds: services.configuration.pingTtlSeconds,
    raisesAlerts: services.configuration.timeSeries === null,
  }),
  intervalMs: watchIntervalMs,
  failureMessage: 'the health of carriers could not be checked; retrying',
})

/** Creates the jobs that compute conversations, keep their transcripts, and have them checked. */
const createConversationJobs = ({ services, signal }: Dependencies): Job[] => [
  {
    name: 'conversations',
    run: createConversationJob({ ...services, sources: services, now: Date.now }),
    intervalMs: queueIntervalMs,
    failureMessage: 'calls whose conversation is to be computed could not be read; retrying',
  },
  {
    name: 'transcripts',
    run: createTranscriptJob(services),
    intervalMs: 10_000,
    failureMessage: 'the index of transcripts could not be completed; retrying',
  },
  {
    name: 'model_checks',
    run: createModelCheckJob({ ...services, sources: services, signal, now: Date.now }),
    intervalMs: 10_000,
    failureMessage: 'calls that a language model is to check could not be read; retrying',
  },
]

const createDeletionJobs = ({ services, signal }: Dependencies): Job[] => {
  const { database, deletionSteps: steps, onBackgroundError } = services
  const deletions = {
    name: 'data_deletions',
    run: createDeletionJob({ database, steps, onBackgroundError, now: Date.now, signal }),
    intervalMs: queueIntervalMs,
    failureMessage: 'the deletions of call data could not be read; retrying',
  }
  if (database.engine !== 'sqlite') return [deletions]
  return [
    deletions,
    {
      name: 'deleted_data',
      run: createOverwriteJob({ database, signal }),
      intervalMs: 60_000,
      failureMessage: 'deleted data could not be removed from the files of the database; retrying',
    },
  ]
}

const createBulkChanges = ({ services, handlers, signal }: Dependencies): Job => ({
  name: 'bulk_changes',
  run: createBulkChangeJob({
    database: services.database,
    runRecords: createRecordRunner(services, handlers),
    now: Date.now,
    signal,
  }),
  intervalMs: shortIntervalMs,
  failureMessage: 'bulk changes could not be read; retrying',
})

const createUploadJob = ({ services, signal }: Dependencies): Job => {
  const uploads = services.createUploadScheduler()
  signal.addEventListener('abort', () => uploads.stop())
  return {
    name: 'recording_uploads',
    run: () => uploads.queueDue(),
    intervalMs: queueIntervalMs,
    failureMessage: 'the queue of recordings to upload could not be read; retrying',
    release: () => uploads.release(),
  }
}

const createAlertJob = ({ services, signal }: Dependencies): Job => {
  const alerts = createAlertSender(services)
  signal.addEventListener('abort', () => alerts.stop())
  return {
    name: 'alert_deliveries',
    run: () => alerts.queueDue(),
    intervalMs: shortIntervalMs,
    failureMessage: 'alerts to send could not be read; retrying',
    settle: () => withTimeout(alerts.settled(), deliverySeconds, () => new Error('late')).catch(() => {}),
  }
}

const createAlertReturnJobs = ({ services, signal }: Dependencies): Job[] => {
  const { counters, database, returnAlerts } = services
  if (returnAlerts === undefined) return []
  return [
    {
      name: 'return_alerts',
      run: createAlertReturn({
        counters,
        returnAlerts: (onProgress) => returnAlerts(database, onProgress, signal),
      }),
      intervalMs: 10_000,
      failureMessage: 'alerts could not be returned from ClickHouse to the database; retrying',
    },
  ]
}

const createOlderRows = ({ services }: Dependencies): Job => ({
  name: 'older_rows',
  run: createOlderRowsJob(services.database, Date.now),
  intervalMs: 60_000,
  failureMessage: 'rows that an older version has stored could not be completed; retrying',
})

const createPhoneClientJob = ({ services }: Dependencies): Job => ({
  name: 'phone_clients',
  run: createPhoneClientCleanup({ ...services, now: Date.now }),
  intervalMs: 30_000,
  failureMessage: 'SIP clients of calls from the browser could not be deleted; retrying',
})

/** The jobs of a hosted installation. */
const createHostingJobs = ({ services }: Dependencies): Job[] => {
  const { billing, database, dns, onBackgroundError } = services
  const subscriptions: Job[] = billing
    ? [
        {
          name: 'subscriptions',
          run: () => billing.pass(),
          intervalMs: shortIntervalMs,
          failureMessage: 'subscriptions could not be checked; retrying',
        },
      ]
    : []
  const records: Job[] = dns
    ? [
        {
          name: 'dns_cleanup',
          run: createRealmRecordsCleanup({ database, dns }, onBackgroundError),
          intervalMs: 15_000,
          failureMessage: 'unused DNS records could not be removed; retrying',
        },
      ]
    : []
  return [...subscriptions, ...records]
}

/** Creates the jobs that the configuration of the services enables. */
export const createJobs = (dependencies: Dependencies): Job[] => [
  createCarrierHealthJob(dependencies),
  ...createBackups(dependencies),
  ...createConversationJobs(dependencies),
  ...createWatches(dependencies),
  ...createDeletionJobs(dependencies),
  createBulkChanges(dependencies),
  createUploadJob(dependencies),
  createAlertJob(dependencies),
  ...createAlertReturnJobs(dependencies),
  createOlderRows(dependencies),
  createPhoneClientJob(dependencies),
  ...createHostingJobs(dependencies),
]

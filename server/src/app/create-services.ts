import { createDnsMadeEasy } from '../adapters/dns/dns-made-easy.ts'
import { createFeatureServer } from '../adapters/live-calls/feature-server.ts'
import { noLiveCalls } from '../adapters/live-calls/live-calls.ts'
import { createBackgroundMail } from '../adapters/mail/background-mail.ts'
import { disabledMail } from '../adapters/mail/mail.ts'
import { isolateBucket } from '../adapters/object-storage/isolated-bucket.ts'
import { createObjectStorage } from '../adapters/object-storage/object-storage.ts'
import { createOutgoing } from '../adapters/outbound-http/outgoing.ts'
import { publicAddressPolicy } from '../adapters/outbound-http/ssrf-guard.ts'
import { noRegistrations } from '../adapters/registrations/registrations.ts'
import { createSignInProviders } from '../adapters/sign-in-providers/sign-in-providers.ts'
import { createSipPing } from '../adapters/sip/sip-ping.ts'
import { tenantErrorGuard } from '../adapters/tenant-errors.ts'
import { noTtsCache } from '../adapters/tts-cache/tts-cache.ts'
import type { Counters } from '../auth/counters/counters.ts'
import { createSqlCounters } from '../auth/counters/sql-counters.ts'
import { createWriteBehindCounters } from '../auth/counters/write-behind-counters.ts'
import { createOwnerLookups } from '../auth/owner-lookup.ts'
import { createPasswordAttempts } from '../auth/password-attempts.ts'
import { createPasswords, type Passwords } from '../auth/password-hashing.ts'
import { createMemoryRates } from '../auth/rate-limit/memory-store.ts'
import { createSqlSessions } from '../auth/sessions/sql-sessions.ts'
import { createLinkTokens, createTokens } from '../auth/tokens.ts'
import { createBillingService } from '../billing/billing-service.ts'
import { createSqlAgentEvents } from '../call-data/agent-events/sql-agent-events.ts'
import { createAccountAlerts } from '../call-data/alerts/account-alerts.ts'
import type { AlertGroups } from '../call-data/alerts/alert-groups.ts'
import { createListedAlertGroups } from '../call-data/alerts/listed-alert-groups.ts'
import { createListedNewAlerts } from '../call-data/alerts/listed-new-alerts.ts'
import type { NewAlerts } from '../call-data/alerts/new-alerts.ts'
import { createSqlAlertGroups } from '../call-data/alerts/sql-alert-groups.ts'
import { createSqlAlerts } from '../call-data/alerts/sql-alerts.ts'
import { createSqlNewAlerts } from '../call-data/alerts/sql-new-alerts.ts'
import { createQuality } from '../call-data/calls/blocked-quality.ts'
import { createSqlCallActivity } from '../call-data/calls/sql-call-activity.ts'
import { createSqlCalls } from '../call-data/calls/sql-calls.ts'
import { createSqlQuality } from '../call-data/calls/sql-quality.ts'
import { createSqlCaptures } from '../call-data/captures/sql-captures.ts'
import { createConversationStatistics } from '../call-data/conversations/conversation-quality.ts'
import { createTranscriptSearch } from '../call-data/conversations/transcript-search.ts'
import { createDeletableRecordings } from '../call-data/deletion/delete-recordings.ts'
import { createSqlSteps } from '../call-data/deletion/sql-steps.ts'
import { createIntakeStatus, type IntakeStatus } from '../call-data/ingest/intake-status.ts'
import { createSqlLogs } from '../call-data/logs/sql-logs.ts'
import { maskAgentEvents } from '../call-data/masking/mask-agent-events.ts'
import { createMasking } from '../call-data/masking/masking.ts'
import type { PatternOverruns } from '../call-data/masking/pattern-overruns.ts'
import { createQuotas, type QuotaLogger } from '../call-data/quotas/quotas.ts'
import { bucketRecordings } from '../call-data/recordings/bucket-recordings.ts'
import { deleteAccountFiles, fileRecordings } from '../call-data/recordings/file-recordings.ts'
import { createPendingUploads } from '../call-data/recordings/pending-uploads.ts'
import { createRecordings } from '../call-data/recordings/recordings.ts'
import { createRunningUploads } from '../call-data/recordings/running-uploads.ts'
import { toUploadAlert } from '../call-data/recordings/upload-alert.ts'
import { createUploadScheduler } from '../call-data/recordings/upload-scheduler.ts'
import { createVoiceActivities } from '../call-data/recordings/voice-activities.ts'
import { createSqlTraces } from '../call-data/traces/sql-traces.ts'
import { createSqlTraceLinks } from '../call-data/traces/trace-links.ts'
import type { Configuration } from '../config/configuration.ts'
import { type AuditTrail, noAuditTrail } from '../database/audit-trail.ts'
import type { Database } from '../database/engine.ts'
import { createRecordVersions } from '../database/record-versions.ts'
import { createWriter } from '../database/write-transaction.ts'
import { type BackgroundTasks, createBackgroundTasks } from '../lib/background-tasks.ts'
import { createEncryption } from '../lib/encryption.ts'
import { createFairQueue } from '../lib/fair-queue.ts'
import type { OnBackgroundError } from '../lib/log.ts'
import type { Services } from '../resources/services.ts'
import { createRecordingAccounts } from '../resources/shared/bucket-credentials.ts'
import { createCertificates } from '../resources/shared/certificates.ts'
import type { ExternalServices } from './external-services.ts'

export interface ServiceOptions {
  configuration: Configuration
  database: Database
  /** Optional tables and columns of jambonz that this database lacks. */
  missingSchema?: ReadonlySet<string>
  /** Tests use a cheaper hash. */
  passwords?: Passwords
  /** Connections to external services. If absent, the app opens and closes them itself. */
  externalServices?: Partial<ExternalServices>
  /** Records who changed what. Nothing is recorded if absent. */
  trail?: AuditTrail
  backgroundTasks?: BackgroundTasks
  /** State of the intakes, which the caller starts. */
  intakes?: IntakeStatus
  /** Providers whose patterns exceeded their time, also in the intakes. */
  patternOverruns?: PatternOverruns
  /** Reports a failure that occurs after the response has been sent. */
  onBackgroundError?: OnBackgroundError
  /** Log of the quotas. Absent for a command that has no log. */
  logger?: QuotaLogger
}

const createCounters = (database: Database): Counters =>
  database.engine === 'sqlite' ? createWriteBehindCounters(database) : createSqlCounters(database)

const createNewAlerts = (database: Database, { alerts }: Partial<ExternalServices>): NewAlerts =>
  alerts ? createListedNewAlerts(database, alerts) : createSqlNewAlerts(database)

const createAlertGroups = (database: Database, { alerts }: Partial<ExternalServices>): AlertGroups =>
  alerts ? createListedAlertGroups(database, alerts) : createSqlAlertGroups(database)

export const createServices = ({
  configuration,
  database,
  missingSchema = new Set(),
  externalServices: external = {},
  passwords = createPasswords(),
  trail = noAuditTrail,
  onBackgroundError = () => {},
  backgroundTasks = createBackgroundTasks(onBackgroundError),
  intakes = createIntakeStatus(),
  patternOverruns,
  logger,
}: ServiceOptions): Services => {
  const counters = external.counters ?? createCounters(database)
  const encryption = createEncryption(configuration.encryptionSecret, { legacy: configuration.legacyCrypto })
  const onBlocked = (error: Error) => onBackgroundError(error, 'a request to a private network was blocked')
  const objectStorage = external.objectStorage ?? createObjectStorage(configuration.outgoing, onBlocked)
  const recordingAccounts = createRecordingAccounts(database, encryption)
  const recordVersions = createRecordVersions(database, configuration.encryptionSecret, missingSchema)
  const write = createWriter(database, missingSchema, trail.observe, recordVersions)
  const billing = external.billing
  const recordingServices = {
    getFiles: (account_sid: string) => fileRecordings(configuration.dataDir, account_sid),
    openStorage: async (account_sid: string, seconds?: number) => {
      const credential = await recordingAccounts.storage(account_sid)
      if (credential === undefined) return undefined
      const bucket = await objectStorage.open(credential, seconds)
      return bucketRecordings(isolateBucket(account_sid, bucket, tenantErrorGuard), account_sid)
    },
    pending: createPendingUploads(configuration.dataDir),
    onBackgroundError,
  }
  const raiseAlert = createAccountAlerts(database)
  /** With an InfluxDB, alerts are read there, and only the log reports the recording. */
  const raiseRejection = async (recording: { account_sid: string; call_sid: string }, error: unknown) =>
    configuration.timeSeries === null ? raiseAlert(toUploadAlert(recording, error)) : undefined
  const recordings = createRecordings({
    ...recordingServices,
    usesStorage: recordingAccounts.usesStorage,
    forget: (account_sid) => deleteAccountFiles(configuration.dataDir, account_sid),
  })
  const deletable = createDeletableRecordings({
    dataDir: configuration.dataDir,
    recordings,
    usesStorage: recordingAccounts.usesStorage,
  })
  const masking = createMasking(database, {
    callAttributes: configuration.traceCallAttributes,
    ...(patternOverruns && { overruns: patternOverruns }),
  })
  const running = createRunningUploads()
  const transcriptIndex = external.transcriptIndex
  const mail = external.mail ?? disabledMail
  return {
    configuration,
    database,
    write,
    recordVersions,
    missingSchema,
    trail,
    encryption,
    tokens: createTokens(configuration.jwtSecret, configuration),
    externalSessions: external.sessions,
    sessions: external.sessions ?? createSqlSessions(database),
    counters,
    registrations: external.registrations ?? noRegistrations,
    ttsCache: external.ttsCache ?? noTtsCache,
    rates: external.rates ?? createMemoryRates(),
    owners: createOwnerLookups(database, missingSchema),
    passwords,
    passwordAttempts: createPasswordAttempts(database, counters, passwords, configuration.signIn),
    liveCalls: external.liveCalls ?? noLiveCalls,
    featureServer: createFeatureServer(),
    platformHealth: external.health,
    intakes,
    certificates: createCertificates(configuration, database, onBackgroundError),
    calls: external.calls ?? createSqlCalls(database),
    quality: createQuality({
      database,
      totals: external.qualityTotals ?? createSqlQuality(database),
      storesCalls: configuration.timeSeries === null,
      receivesSip: configuration.hepIntake !== null,
    }),
    callActivity: external.callActivity ?? createSqlCallActivity(database),
    callDataStore: external.callDataStore,
    returnAlerts: external.returnAlerts,
    // Details in ClickHouse are found by the links that the database contains. Alerts of earlier versions return to it.
    deletionSteps: [
      ...(external.createDeletionSteps?.(database, deletable) ?? []),
      ...createSqlSteps({ database, transcriptIndex }, deletable),
    ],
    alerts: external.alerts ?? createSqlAlerts(database),
    alertGroups: createAlertGroups(database, external),
    newAlerts: createNewAlerts(database, external),
    traces: external.traces ?? createSqlTraces(database),
    traceLinks: createSqlTraceLinks(database),
    agentEvents: maskAgentEvents(createSqlAgentEvents(database), masking),
    masking,
    quotas: createQuotas({
      database,
      limits: configuration.accountQuotas,
      logger,
      raisesAlerts: configuration.timeSeries === null,
    }),
    logs: external.logs ?? (configuration.otlpIntake === null ? undefined : createSqlLogs(database)),
    captures: external.captures ?? createSqlCaptures(database),
    callDetails: createFairQueue({ name: 'call_details', concurrency: 2, max: 64 }),
    recordingAccounts,
    recordings,
    conversationStatistics: createConversationStatistics(database),
    transcriptIndex,
    transcriptSearch: createTranscriptSearch({ database, transcriptIndex }),
    voiceActivities: createVoiceActivities({ database, recordings, onBackgroundError }),
    createUploadScheduler: (now) =>
      createUploadScheduler({ ...recordingServices, running, onRejected: raiseRejection, ...(now && { now }) }),
    billing:
      billing && createBillingService({ database, write, billing, encryption, onBackgroundError, now: Date.now }),
    checkPayment: billing && (() => billing.check()),
    mail,
    backgroundMail: createBackgroundMail(mail, backgroundTasks, onBackgroundError, external.mailRetryMs),
    signInProviders: createSignInProviders(configuration.signInProviders),
    dns: configuration.dns && createDnsMadeEasy(configuration.dns),
    onBackgroundError,
    objectStorage,
    outgoing: createOutgoing(configuration.outgoing, onBlocked),
    sipPing: createSipPing({ policy: publicAddressPolicy(configuration.outgoing.privateNetworks, onBlocked) }),
    backgroundTasks,
    linkTokens: createLinkTokens(configuration.jwtSecret),
  }
}

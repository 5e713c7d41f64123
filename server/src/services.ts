import { type BackgroundTasks, createBackgroundTasks } from './afterwards.ts'
import type { Configuration } from './configuration.ts'
import type { Database } from './database/engine.ts'
import { createWriter, type RunWrite } from './database/write.ts'
import { createEncryption, type Encryption } from './encryption.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import type { Alerts } from './platform/alerts/alerts.ts'
import { createSqlAlerts } from './platform/alerts/sql-alerts.ts'
import type { Calls } from './platform/calls/calls.ts'
import type { Quality } from './platform/calls/quality.ts'
import { createSqlCalls } from './platform/calls/sql-calls.ts'
import { createSqlQuality } from './platform/calls/sql-quality.ts'
import type { Captures } from './platform/captures/captures.ts'
import { createSqlCaptures } from './platform/captures/sql-captures.ts'
import type { Counters } from './platform/counters/counters.ts'
import { createKeptCounters } from './platform/counters/kept-counters.ts'
import { createSqlCounters } from './platform/counters/sql-counters.ts'
import type { Dns } from './platform/dns/dns.ts'
import { createDnsMadeEasy } from './platform/dns/dns-made-easy.ts'
import { type FeatureServer, createFeatureServer } from './platform/live-calls/feature-server.ts'
import type { LiveCalls } from './platform/live-calls/live-calls.ts'
import { noLiveCalls } from './platform/live-calls/no-live-calls.ts'
import type { Logs } from './platform/logs/logs.ts'
import { createSqlLogs } from './platform/logs/sql-logs.ts'
import { type Mail, noMail } from './platform/mail/mail.ts'
import { createObjectStorage, type ObjectStorage } from './platform/object-storage/object-storage.ts'
import { isolateBucket } from './platform/object-storage/isolated-bucket.ts'
import { createOutgoing, type Outgoing } from './platform/outgoing/outgoing.ts'
import type { Platform } from './platform/platform.ts'
import { createMemoryRates } from './platform/rates/memory-rates.ts'
import { bucketRecordings } from './platform/recordings/bucket-recordings.ts'
import { fileRecordings, deleteAccountFiles } from './platform/recordings/file-recordings.ts'
import { createRecordings, type Recordings } from './platform/recordings/recordings.ts'
import { createPendingUploads } from './platform/recordings/pending-uploads.ts'
import { createRunningUploads } from './platform/recordings/running-uploads.ts'
import { createUploadScheduler, type UploadScheduler } from './platform/recordings/upload-scheduler.ts'
import type { Rates } from './platform/rates/rates.ts'
import { noRegistrations } from './platform/registrations/no-registrations.ts'
import type { Registrations } from './platform/registrations/registrations.ts'
import type { Sessions } from './platform/sessions/sessions.ts'
import { createSqlSessions } from './platform/sessions/sql-sessions.ts'
import { createSignInProviders, type SignInProviders } from './platform/sign-in-providers/sign-in-providers.ts'
import { type AuditTrail, noAuditTrail } from './stores/audit-trail.ts'
import { noTtsCache } from './platform/tts-cache/no-tts-cache.ts'
import { createSqlTraces } from './platform/traces/sql-traces.ts'
import { tenantErrorGuard } from './platform/tenant-faults.ts'
import type { Traces } from './platform/traces/traces.ts'
import type { TtsCache } from './platform/tts-cache/tts-cache.ts'
import { createRecordingAccounts, type RecordingAccounts } from './stores/bucket-credentials.ts'
import { type BillingService, createBillingDesk } from './stores/billing/desk.ts'
import { createOwnerLookups, type Owners } from './stores/owners.ts'
import { createPasswordAttempts, type PasswordAttempts } from './stores/password-attempts.ts'
import { createLinkTokens, createTokens, type Tokens } from './tokens.ts'
import { createFairQueue, type FairQueue } from './turns.ts'

/** What the resources work with. */
export interface Services {
  configuration: Configuration
  database: Database
  /** the one door for writes */
  write: RunWrite
  /** optional tables, and columns as table.column, of the platform that this database lacks */
  missingSchema: ReadonlySet<string>
  trail: AuditTrail
  encryption: Encryption
  tokens: Tokens
  sessions: Sessions
  counters: Counters
  registrations: Registrations
  ttsCache: TtsCache
  /** one count for both prefixes */
  rates: Rates
  owners: Owners
  passwords: Passwords
  passwordAttempts: PasswordAttempts
  liveCalls: LiveCalls
  featureServer: FeatureServer
  calls: Calls
  quality: Quality
  alerts: Alerts
  traces: Traces
  /** undefined where nothing is logged that could be read */
  logs: Logs | undefined
  captures: Captures
  /** readers of traces, captures, and logs: a few at a time, as each of them may have megabytes */
  callDetails: FairQueue
  recordings: Recordings
  /** @param now a monotonic clock, in milliseconds */
  createUploadScheduler: (now?: () => number) => UploadScheduler
  recordingAccounts: RecordingAccounts
  /** undefined where nothing is sold */
  billing: BillingService | undefined
  mail: Mail
  signInProviders: SignInProviders
  /** null: SIP realms get no records */
  dns: Dns | null
  /** told what went wrong behind an answer */
  onBackgroundError: (error: unknown, what: string) => void
  objectStorage: ObjectStorage
  outgoing: Outgoing
  afterwards: BackgroundTasks
  /** of those who have a reset link and no session */
  linkTokens: Tokens
}

export interface ServiceOptions {
  configuration: Configuration
  database: Database
  /** optional tables and columns of the platform that this database does not have */
  missingSchema?: ReadonlySet<string>
  /** tests hash for less */
  passwords?: Passwords
  /** what is outside, where the caller has connected it and will close it; else the app does both */
  platform?: Platform
  /** who changed what; without it nothing is recorded */
  trail?: AuditTrail
  afterwards?: BackgroundTasks
  /** told what went wrong behind an answer */
  onBackgroundError?: (error: unknown, what: string) => void
}

const countersOf = (database: Database): Counters =>
  database.engine === 'sqlite' ? createKeptCounters(database) : createSqlCounters(database)

export const createServices = ({
  configuration,
  database,
  missingSchema = new Set(),
  platform,
  passwords = createPasswords(),
  trail = noAuditTrail,
  onBackgroundError = () => {},
  afterwards = createBackgroundTasks(onBackgroundError),
}: ServiceOptions): Services => {
  const counters = platform?.counters ?? countersOf(database)
  const encryption = createEncryption(configuration.encryptionSecret, { legacy: configuration.legacyCrypto })
  const onBlocked = (error: Error) => onBackgroundError(error, 'blocked a request to a private network')
  const objectStorage = platform?.objectStorage ?? createObjectStorage(configuration.outgoing, onBlocked)
  const recordingAccounts = createRecordingAccounts(database, encryption)
  const write = createWriter(database, missingSchema, trail.observe)
  const billing = platform?.billing
  const places = {
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
  const running = createRunningUploads()
  return {
    configuration,
    database,
    write,
    missingSchema,
    trail,
    encryption,
    tokens: createTokens(configuration.jwtSecret, configuration),
    sessions: platform?.sessions ?? createSqlSessions(database),
    counters,
    registrations: platform?.registrations ?? noRegistrations,
    ttsCache: platform?.ttsCache ?? noTtsCache,
    rates: platform?.rates ?? createMemoryRates(),
    owners: createOwnerLookups(database, missingSchema),
    passwords,
    passwordAttempts: createPasswordAttempts(database, counters, passwords, configuration.signIn),
    liveCalls: platform?.liveCalls ?? noLiveCalls,
    featureServer: createFeatureServer(),
    calls: platform?.calls ?? createSqlCalls(database),
    quality: platform?.quality ?? createSqlQuality(database),
    alerts: platform?.alerts ?? createSqlAlerts(database),
    traces: platform?.traces ?? createSqlTraces(database),
    logs: platform?.logs ?? (configuration.otlpIntake === null ? undefined : createSqlLogs(database)),
    captures: platform?.captures ?? createSqlCaptures(database),
    callDetails: createFairQueue({ concurrency: 2, max: 64 }),
    recordingAccounts,
    recordings: createRecordings({
      ...places,
      usesStorage: recordingAccounts.usesStorage,
      forget: (account_sid) => deleteAccountFiles(configuration.dataDir, account_sid),
    }),
    createUploadScheduler: (now) => createUploadScheduler({ ...places, running, ...(now && { now }) }),
    billing: billing && createBillingDesk({ database, write, billing, encryption, onBackgroundError, now: Date.now }),
    mail: platform?.mail ?? noMail,
    signInProviders: createSignInProviders(configuration.signInProviders),
    dns: configuration.dns && createDnsMadeEasy(configuration.dns),
    onBackgroundError,
    objectStorage,
    outgoing: createOutgoing(configuration.outgoing, onBlocked),
    afterwards,
    linkTokens: createLinkTokens(configuration.jwtSecret),
  }
}

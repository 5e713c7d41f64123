import type { Dns } from '../adapters/dns/dns.ts'
import type { FeatureServer } from '../adapters/live-calls/feature-server.ts'
import type { LiveCalls } from '../adapters/live-calls/live-calls.ts'
import type { BackgroundMail } from '../adapters/mail/background-mail.ts'
import type { Mail } from '../adapters/mail/mail.ts'
import type { ObjectStorage } from '../adapters/object-storage/object-storage.ts'
import type { Outgoing } from '../adapters/outbound-http/outgoing.ts'
import type { PlatformHealth } from '../adapters/platform-health/platform-health.ts'
import type { Registrations } from '../adapters/registrations/registrations.ts'
import type { SignInProviders } from '../adapters/sign-in-providers/sign-in-providers.ts'
import type { SipPing } from '../adapters/sip/sip-ping.ts'
import type { TtsCache } from '../adapters/tts-cache/tts-cache.ts'
import type { Counters } from '../auth/counters/counters.ts'
import type { Owners } from '../auth/owner-lookup.ts'
import type { PasswordAttempts } from '../auth/password-attempts.ts'
import type { Passwords } from '../auth/password-hashing.ts'
import type { Rates } from '../auth/rate-limit/rate-limit-store.ts'
import type { Sessions, SessionsElsewhere } from '../auth/sessions/sessions.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { BillingService } from '../billing/billing-operation.ts'
import type { AgentEvents } from '../call-data/agent-events/agent-events.ts'
import type { AlertGroups } from '../call-data/alerts/alert-groups.ts'
import type { Alerts, ReturnAlerts } from '../call-data/alerts/alerts.ts'
import type { NewAlerts } from '../call-data/alerts/new-alerts.ts'
import type { Quality } from '../call-data/calls/blocked-quality.ts'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Calls } from '../call-data/calls/calls.ts'
import type { Captures } from '../call-data/captures/captures.ts'
import type { CallDataStore } from '../call-data/clickhouse/status.ts'
import type { ConversationStatistics } from '../call-data/conversations/conversation-quality.ts'
import type { ExternalTranscriptIndex } from '../call-data/conversations/external-transcript-index.ts'
import type { TranscriptSearch } from '../call-data/conversations/transcript-search.ts'
import type { DeletionStep } from '../call-data/deletion/deletion.ts'
import type { IntakeStatus } from '../call-data/ingest/intake-status.ts'
import type { Logs } from '../call-data/logs/logs.ts'
import type { Masking } from '../call-data/masking/masking.ts'
import type { Quotas } from '../call-data/quotas/quotas.ts'
import type { Recordings } from '../call-data/recordings/recordings.ts'
import type { UploadScheduler } from '../call-data/recordings/upload-scheduler.ts'
import type { VoiceActivities } from '../call-data/recordings/voice-activities.ts'
import type { TraceLinks } from '../call-data/traces/trace-links.ts'
import type { Traces } from '../call-data/traces/traces.ts'
import type { Configuration } from '../config/configuration.ts'
import type { AuditTrail } from '../database/audit-trail.ts'
import type { Database } from '../database/engine.ts'
import type { RecordVersions } from '../database/record-versions.ts'
import type { RunWrite } from '../database/write-transaction.ts'
import type { BackgroundTasks } from '../lib/background-tasks.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import type { OnBackgroundError } from '../lib/log.ts'
import type { RecordingAccounts } from './shared/bucket-credentials.ts'
import type { Certificates } from './shared/certificates.ts'

/** The services that the resources use. */
export interface Services {
  configuration: Configuration
  database: Database
  /** Runs every change to the database. */
  write: RunWrite
  recordVersions: RecordVersions
  /** Optional tables of jambonz, and columns as table.column, that this database lacks. */
  missingSchema: ReadonlySet<string>
  trail: AuditTrail
  encryption: Encryption
  tokens: Tokens
  sessions: Sessions
  /** Undefined if the database contains the sessions. */
  externalSessions: SessionsElsewhere | undefined
  counters: Counters
  registrations: Registrations
  ttsCache: TtsCache
  /** Shared by both API prefixes, so that requests to both count together. */
  rates: Rates
  owners: Owners
  passwords: Passwords
  passwordAttempts: PasswordAttempts
  liveCalls: LiveCalls
  featureServer: FeatureServer
  /** Undefined without Redis. */
  platformHealth: PlatformHealth | undefined
  intakes: IntakeStatus
  certificates: Certificates
  calls: Calls
  quality: Quality
  callActivity: CallActivity
  /** Undefined unless ClickHouse stores the call records. */
  callDataStore: CallDataStore | undefined
  /** Undefined unless ClickHouse stores the call records. */
  returnAlerts: ReturnAlerts | undefined
  /** The steps that delete the call data of an account, in their order. */
  deletionSteps: readonly DeletionStep[]
  alerts: Alerts
  alertGroups: AlertGroups
  newAlerts: NewAlerts
  traces: Traces
  traceLinks: TraceLinks
  agentEvents: AgentEvents
  masking: Masking
  quotas: Quotas
  /** Undefined if no logs are available. */
  logs: Logs | undefined
  captures: Captures
  /** Limits concurrent reads of traces, captures, and logs, because each may load megabytes. */
  callDetails: FairQueue
  recordings: Recordings
  voiceActivities: VoiceActivities
  conversationStatistics: ConversationStatistics
  /** Undefined if the database contains the index of transcripts. */
  transcriptIndex: ExternalTranscriptIndex | undefined
  transcriptSearch: TranscriptSearch
  /** @param now monotonic clock, in milliseconds */
  createUploadScheduler: (now?: () => number) => UploadScheduler
  recordingAccounts: RecordingAccounts
  /** Undefined unless billing is configured. */
  billing: BillingService | undefined
  /** Sends a request that changes nothing to the payment provider. Undefined unless billing is configured. */
  checkPayment: (() => Promise<void>) | undefined
  mail: Mail
  backgroundMail: BackgroundMail
  signInProviders: SignInProviders
  /** Null if no DNS records are created for SIP realms. */
  dns: Dns | null
  /** Reports a failure that occurs after the response has been sent. */
  onBackgroundError: OnBackgroundError
  objectStorage: ObjectStorage
  outgoing: Outgoing
  sipPing: SipPing
  backgroundTasks: BackgroundTasks
  /** Tokens for users who have a reset link but no session. */
  linkTokens: Tokens
}

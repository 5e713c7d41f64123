import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import { toErrorBody } from '@patchbay/contract/errors'
import { createBackgroundTasks } from '../lib/background-tasks.ts'
import { buildInfo } from '../lib/build-info.ts'
import type { Configuration } from '../config/configuration.ts'
import { logRequests } from '../http/access-log.ts'
import { createApi } from '../http/api.ts'
import { createAuthentication } from '../http/authentication.ts'
import { serveConsole } from '../http/console.ts'
import { getClientAddress, limitConcurrentRequests } from '../http/concurrency-limit.ts'
import { serveDocs } from '../http/docs.ts'
import { errorHandler, handleClientError } from '../http/errors.ts'
import { serveHealth } from '../http/health.ts'
import { noJsonSchemas } from '../http/no-json-schemas.ts'
import { createReadiness } from '../http/readiness.ts'
import { observeRequests } from '../http/observe-requests.ts'
import { addRequestContext } from '../http/request-context.ts'
import { parseRequestId, sendRequestId } from '../http/request-id.ts'
import { rewriteUrl } from '../http/rewrite-url.ts'
import { protect } from '../http/security-headers.ts'
import { loggerOptions, type LogStream, type OnBackgroundError } from '../lib/log.ts'
import { enqueueConversations, settlingMs } from '../call-data/conversations/conversation-queue.ts'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Calls } from '../call-data/calls/calls.ts'
import { createAlertSender } from '../call-data/alerts/alert-sender.ts'
import { createQuotas, type Quotas } from '../call-data/quotas/quotas.ts'
import { createRecordingQuota } from '../call-data/quotas/recording-quota.ts'
import { createBackupProcess } from '../backup/scheduled/backup-process.ts'
import { createScheduledBackups } from '../backup/scheduled/scheduled-backups.ts'
import { createDeletionJob } from '../jobs/delete-call-data.ts'
import { createConversationJob } from '../jobs/compute-conversations.ts'
import { createTranscriptJob } from '../jobs/maintain-transcripts.ts'
import { createOverwriteJob } from '../jobs/overwrite-deleted-data.ts'
import { createOlderRowsJob } from '../jobs/complete-older-rows.ts'
import { createModelCheckJob } from '../jobs/check-reviews.ts'
import { createMarkCount, markCountIntervalMs } from '../jobs/count-sip-marks.ts'
import { blockWatchIntervalMs, createBlockWatch } from '../jobs/watch-blocked-numbers.ts'
import { createLimitWatch, limitWatchIntervalMs } from '../jobs/watch-conversation-limits.ts'
import { createHealthWatch, watchIntervalMs } from '../jobs/watch-carrier-health.ts'
import { createRealmRecordsCleanup } from '../jobs/cleanup-realm-records.ts'
import { connectPlatform } from './external-services.ts'
import { runPeriodically } from '../lib/run-periodically.ts'
import { accountRoutes } from '../resources/accounts/routes.ts'
import { alertHookRoutes } from '../resources/alert-destinations/hook-routes.ts'
import { alertDestinationRoutes } from '../resources/alert-destinations/routes.ts'
import { alertGroupRoutes } from '../resources/alerts/group-routes.ts'
import { alertRoutes } from '../resources/alerts/routes.ts'
import { apiKeyRoutes } from '../resources/api-keys/routes.ts'
import { appEnvRoutes } from '../resources/applications/app-env-routes.ts'
import { accountTestRoutes } from '../resources/applications/account-test-routes.ts'
import { applicationRoutes } from '../resources/applications/routes.ts'
import { webhookTestRoutes } from '../resources/applications/webhook-test-routes.ts'
import { auditTrailRoutes } from '../resources/audit-trail/routes.ts'
import { acceptRecordings } from '../call-data/recordings/recording-websocket.ts'
import { billingRoutes } from '../resources/billing/routes.ts'
import { dataDeletionRoutes } from '../resources/data-deletions/routes.ts'
import { callCaptureRoutes } from '../resources/call-captures/routes.ts'
import { callLogRoutes } from '../resources/call-logs/routes.ts'
import { callQualityRoutes } from '../resources/call-quality/routes.ts'
import { callRecordingRoutes } from '../resources/call-recordings/routes.ts'
import { callShareRoutes } from '../resources/call-shares/routes.ts'
import { sharedCallRoutes } from '../resources/call-shares/shared-call-routes.ts'
import { callTraceRoutes } from '../resources/call-traces/routes.ts'
import { conversationEventRoutes } from '../resources/conversations/event-routes.ts'
import { conversationQualityRoutes } from '../resources/conversation-quality/routes.ts'
import { conversationLimitRoutes } from '../resources/conversation-quality/limit-routes.ts'
import { conversationListRoutes } from '../resources/conversation-quality/list-routes.ts'
import { conversationRoutes } from '../resources/conversations/routes.ts'
import { conversationSearchRoutes } from '../resources/conversations/search-routes.ts'
import { clientRoutes } from '../resources/clients/routes.ts'
import { liveCallRoutes } from '../resources/live-calls/routes.ts'
import { limitRoutes } from '../resources/limits/routes.ts'
import { maskingRuleRoutes } from '../resources/masking-rules/routes.ts'
import { messagingRoutes } from '../resources/messaging/routes.ts'
import { overviewRoutes } from '../resources/overview/routes.ts'
import { msTeamsTenantRoutes } from '../resources/ms-teams-tenants/routes.ts'
import { passwordResetRoutes } from '../resources/password-reset/routes.ts'
import { passwordSettingsRoutes } from '../resources/password-settings/routes.ts'
import { manyPhoneNumberRoutes } from '../resources/phone-numbers/bulk-routes.ts'
import { phoneNumberRoutes } from '../resources/phone-numbers/routes.ts'
import { recentCallRoutes } from '../resources/recent-calls/routes.ts'
import { registrationRoutes } from '../resources/registration/routes.ts'
import { registeredSipUserRoutes } from '../resources/registered-sip-users/routes.ts'
import { reviewModelRoutes } from '../resources/reviews/model-routes.ts'
import { reviewRoutes } from '../resources/reviews/routes.ts'
import { savedViewRoutes } from '../resources/saved-views/routes.ts'
import { serviceProviderRoutes } from '../resources/service-providers/routes.ts'
import { sessionRoutes } from '../resources/sessions/routes.ts'
import { sipRealmRoutes } from '../resources/sip-realms/routes.ts'
import { speechCredentialRoutes } from '../resources/speech-credentials/routes.ts'
import { speechSynthesisRoutes } from '../resources/speech-credentials/synthesis-routes.ts'
import { systemInformationRoutes } from '../resources/system-information/routes.ts'
import { systemStatusRoutes } from '../resources/system-status/routes.ts'
import { ttsCacheRoutes } from '../resources/tts-cache/routes.ts'
import { googleCustomVoiceRoutes } from '../resources/google-custom-voices/routes.ts'
import { inboundRoutingRoutes } from '../resources/inbound-routing/routes.ts'
import { carrierSetEntryRoutes } from '../resources/lcrs/carrier-set-entries/routes.ts'
import { lcrRouteRoutes } from '../resources/lcrs/routes/routes.ts'
import { lcrRoutes } from '../resources/lcrs/routes.ts'
import { platformAddressRoutes } from '../resources/platform-addresses/routes.ts'
import { predefinedCarrierRoutes } from '../resources/voip-carriers/predefined-carriers-routes.ts'
import { carrierHealthRoutes } from '../resources/voip-carriers/carrier-health-routes.ts'
import { connectionCheckRoutes } from '../resources/voip-carriers/connection-check-routes.ts'
import { wholeCarrierRoutes } from '../resources/voip-carriers/carriers-with-gateways-routes.ts'
import { sipGatewayRoutes } from '../resources/voip-carriers/sip-gateways-routes.ts'
import { smppGatewayRoutes } from '../resources/voip-carriers/smpp-gateways-routes.ts'
import { voipCarrierRoutes } from '../resources/voip-carriers/routes.ts'
import { webhookRecordRoutes } from '../resources/webhooks/routes.ts'
import { userRoutes } from '../resources/users/routes.ts'
import { helperEvents, requestEvents } from '../lib/telemetry.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Server } from 'node:http'
import { createServices, type ServiceOptions } from './services.ts'
import type { Services } from '../resources/services.ts'
import { createAuditTrail } from '../database/audit-trail.ts'
import { fitsEncryptionCheck } from '../database/encryption-check.ts'
import { listMigrations } from '../database/migrations.ts'
import { readAppliedMigrations } from '../database/schema-version.ts'

/** API features that Patchbay adds to the API of jambonz. config.json announces them to the console. */
const extensions = [
  'account-blockers',
  'account-contents',
  'accounts-taken',
  'alert-groups',
  'api-keys',
  'application-blockers',
  'audit-trail',
  'call-application-filter',
  'call-duration-filter',
  'call-duration-limit',
  'call-legs',
  'call-number-filter',
  'call-quality',
  'call-shares',
  'call-tables',
  'call-status-filter',
  'carrier-connection-check',
  'carrier-health',
  'carrier-health-history',
  'conversations',
  'data-deletions',
  'inbound-routing',
  'many-phone-numbers',
  'masking-rules',
  'ms-teams-applications',
  'overview',
  'plain-call-filter',
  'platform-api-keys',
  'provider-contents',
  'registered-clients',
  'saved-views',
  'session-renewal',
  'speech-keys',
  'speech-used-by',
  'system-status',
  'user-promotion',
  'webhook-workbench',
  'whole-carriers',
  'whole-lcrs',
] as const

/**
 * Alert destinations, and statistics, transcripts, and reviews of conversations need alerts and call records that
 * Patchbay receives. Those in the InfluxDB of jambonz do not pass through Patchbay.
 */
const apiExtensions = ({ timeSeries, hosting, passwordReset }: Configuration): string[] => [
  ...(timeSeries === null ? ['alert-destinations', 'call-reviews', 'conversation-quality', 'conversation-search'] : []),
  // Activation codes are created by the server, not by the browser.
  ...(hosting === null ? [] : ['activation-codes', 'sign-in-links']),
  ...(passwordReset === null ? [] : ['invitations']),
  ...extensions,
]

/** Console features that this installation enables or disables. config.json contains them. */
const consoleFlags = (configuration: Configuration): string[] => [
  ...(configuration.accountLimits ? ['account-limits'] : []),
  ...(configuration.adminCarriers ? ['admin-carriers'] : []),
  ...(configuration.otlpIntake === null ? [] : ['call-logs']),
  ...(configuration.hosting === null ? [] : ['hosted-system']),
  ...(configuration.passwordReset === null ? [] : ['forgot-password', 'password-for-email']),
  ...(configuration.additionalSpeechVendors ? [] : ['no-additional-speech-vendors']),
  ...(configuration.callRecording ? [] : ['no-call-recording']),
  ...(configuration.customSpeech ? [] : ['no-custom-speech']),
  ...(configuration.defaultTrunkRouting ? [] : ['no-default-trunk-routing']),
  ...(configuration.initialApplication ? [] : ['no-initial-application']),
  ...(configuration.outboundRouting ? [] : ['no-lcr']),
  ...(configuration.tracing ? [] : ['no-tracing']),
  ...(configuration.redis === null ? ['no-live-calls', 'no-registrations', 'no-tts-cache'] : []),
]

/** The public settings of each sign-in provider. */
const createProviderSettings = ({ signInProviders }: Configuration): Record<string, object> =>
  Object.fromEntries(
    Object.entries(signInProviders).flatMap(([name, settings]) => {
      if (settings === null) return []
      const { clientId, authorizeUrl } = settings
      return [[name, { clientId, authorizeUrl }]]
    }),
  )

/** Returns the URL of Stripe.js if visitors can register and a publishable key is configured. */
const getPaymentScript = ({ hosting, billing }: Configuration): string | null =>
  hosting !== null && billing?.publishableKey ? billing.scriptUrl : null

/** Additional settings for the console of a hosted installation. config.json contains them. */
const createHostingSettings = (configuration: Configuration) => {
  const { hosting, billing } = configuration
  const stripeJs = getPaymentScript(configuration)
  if (hosting === null) return null
  const hostingSettings = { ...hosting, signInProviders: createProviderSettings(configuration) }
  return stripeJs === null
    ? hostingSettings
    : { ...hostingSettings, stripePublishableKey: billing?.publishableKey, stripeJs }
}

export interface AppOptions extends ServiceOptions {
  /** Destination of the log. Nothing is logged if absent. */
  log?: LogStream
  /** Folder of the built console. */
  consoleRoot?: string
  checkAnswers?: boolean
  /**
   * Enables background jobs: alert delivery, DNS cleanup, and subscription polling. Tests run these jobs themselves.
   */
  runsBackgroundJobs?: boolean
  /** Aborts when the process begins to shut down. `/readyz` then responds with 503. */
  shutdownSignal?: AbortSignal
}

const createHandlers = (services: Services, quotas: Quotas) => ({
  ...sessionRoutes(services),
  ...registrationRoutes(services),
  ...userRoutes(services),
  ...webhookRecordRoutes(services),
  ...passwordResetRoutes(services),
  ...passwordSettingsRoutes(services),
  ...systemInformationRoutes(services),
  ...systemStatusRoutes(services),
  ...serviceProviderRoutes(services),
  ...accountRoutes(services),
  ...dataDeletionRoutes(services),
  ...sipRealmRoutes(services),
  ...applicationRoutes(services),
  ...accountTestRoutes(services),
  ...appEnvRoutes(services),
  ...webhookTestRoutes(services),
  ...speechCredentialRoutes(services),
  ...googleCustomVoiceRoutes(services),
  ...speechSynthesisRoutes(services),
  ...phoneNumberRoutes(services),
  ...manyPhoneNumberRoutes(services),
  ...messagingRoutes(services),
  ...msTeamsTenantRoutes(services),
  ...apiKeyRoutes(services),
  ...limitRoutes(services),
  ...maskingRuleRoutes(services),
  ...overviewRoutes(services),
  ...liveCallRoutes(services),
  ...recentCallRoutes(services),
  ...savedViewRoutes(services),
  ...callTraceRoutes(services),
  ...conversationRoutes(services),
  ...callShareRoutes(services),
  ...sharedCallRoutes(services),
  ...conversationQualityRoutes(services),
  ...conversationListRoutes(services),
  ...conversationLimitRoutes(services),
  ...conversationSearchRoutes(services),
  ...conversationEventRoutes(services, quotas),
  ...reviewRoutes(services),
  ...reviewModelRoutes(services),
  ...callLogRoutes(services),
  ...alertRoutes(services),
  ...alertGroupRoutes(services),
  ...alertDestinationRoutes(services),
  ...alertHookRoutes(services),
  ...callCaptureRoutes(services),
  ...callQualityRoutes(services),
  ...callRecordingRoutes(services),
  ...clientRoutes(services),
  ...registeredSipUserRoutes(services),
  ...auditTrailRoutes(services),
  ...ttsCacheRoutes(services),
  ...voipCarrierRoutes(services),
  ...sipGatewayRoutes(services),
  ...smppGatewayRoutes(services),
  ...wholeCarrierRoutes(services),
  ...carrierHealthRoutes(services),
  ...connectionCheckRoutes(services),
  ...predefinedCarrierRoutes(services),
  ...platformAddressRoutes(services),
  ...inboundRoutingRoutes(services),
  ...lcrRoutes(services),
  ...lcrRouteRoutes(services),
  ...carrierSetEntryRoutes(services),
  ...billingRoutes(services),
})

/** Interval at which a process checks whether a backup is due. */
const backupCheckMs = 10_000

/** Starts the periodic jobs. */
const startBackgroundJobs = (app: FastifyInstance, services: Services, onBackgroundError: OnBackgroundError): void => {
  const schedule = (name: string, pass: () => Promise<void>, failureMessage: string, restMs = 2000) => {
    app.addHook('preClose', runPeriodically({ name, run: pass, intervalMs: restMs, failureMessage }, onBackgroundError))
  }
  const { billing, captures, configuration, counters, database, dns, platformHealth } = services
  const watchHealth = createHealthWatch({
    database,
    health: platformHealth,
    counters,
    pingTtlSeconds: configuration.pingTtlSeconds,
    captures,
    raisesAlerts: configuration.timeSeries === null,
  })
  schedule('carrier_health', watchHealth, 'the health of carriers could not be checked; retrying', watchIntervalMs)
  if (configuration.backups !== null) {
    const backups = createScheduledBackups({
      database,
      settings: configuration.backups,
      vendorAddresses: configuration.outgoing.vendorAddresses,
      writeBackup: createBackupProcess(process.argv[1] ?? ''),
      onBackgroundError,
    })
    // A running backup ends before its job is awaited.
    app.addHook('preClose', () => Promise.resolve(backups.stop()))
    schedule('scheduled_backup', () => backups.runDue(), 'the scheduled backup failed; retrying', backupCheckMs)
  }
  schedule(
    'conversations',
    createConversationJob({ database, sources: services, onBackgroundError, now: Date.now }),
    'calls whose conversation is to be computed could not be read; retrying',
    5000,
  )
  if (configuration.timeSeries === null) {
    schedule(
      'conversation_limits',
      createLimitWatch({ database, counters }),
      'conversations could not be compared with their limits; retrying',
      limitWatchIntervalMs,
    )
    schedule(
      'sip_marks',
      createMarkCount({ database, counters, calls: services.calls, captures: services.captures }),
      'blocked calls and identities in captured SIP could not be counted; retrying',
      markCountIntervalMs,
    )
    schedule(
      'blocked_numbers',
      createBlockWatch({ database, counters }),
      'blocked calling numbers could not be checked; retrying',
      blockWatchIntervalMs,
    )
  }
  schedule(
    'transcripts',
    createTranscriptJob(services),
    'the index of transcripts could not be completed; retrying',
    10_000,
  )
  const stopping = new AbortController()
  app.addHook('preClose', () => Promise.resolve(stopping.abort()))
  schedule(
    'model_checks',
    createModelCheckJob({
      database,
      encryption: services.encryption,
      outgoing: services.outgoing,
      sources: services,
      onBackgroundError,
      signal: stopping.signal,
      now: Date.now,
    }),
    'calls that a language model is to check could not be read; retrying',
    10_000,
  )
  schedule(
    'data_deletions',
    createDeletionJob({
      database,
      steps: services.deletionSteps,
      onBackgroundError,
      now: Date.now,
      signal: stopping.signal,
    }),
    'the deletions of call data could not be read; retrying',
    5000,
  )
  if (database.engine === 'sqlite')
    schedule(
      'deleted_data',
      createOverwriteJob({ database, signal: stopping.signal }),
      'deleted data could not be removed from the files of the database; retrying',
      60_000,
    )
  const alerts = createAlertSender(services)
  const uploads = services.createUploadScheduler()
  app.addHook('preClose', () => Promise.resolve(uploads.stop()))
  schedule(
    'recording_uploads',
    () => uploads.queueDue(),
    'the queue of recordings to upload could not be read; retrying',
    5000,
  )
  app.addHook('onClose', () => Promise.resolve(uploads.release()))
  app.addHook('preClose', () => Promise.resolve(alerts.stop()))
  schedule(
    'older_rows',
    createOlderRowsJob(database, Date.now),
    'rows that an older version has stored could not be completed; retrying',
    60_000,
  )
  schedule('alert_deliveries', () => alerts.queueDue(), 'alerts to send could not be read; retrying')
  // A delivery that takes longer is repeated by another process, or after the next start.
  app.addHook('preClose', () => withTimeout(alerts.settled(), 3, () => new Error('late')).catch(() => {}))
  if (billing) schedule('subscriptions', () => billing.pass(), 'subscriptions could not be checked; retrying')
  if (dns)
    schedule(
      'dns_cleanup',
      createRealmRecordsCleanup({ database, dns }, onBackgroundError),
      'unused DNS records could not be removed; retrying',
      15_000,
    )
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts calls in their store, for metrics. */
    calls: Calls
    callActivity: CallActivity
  }
}

/** Creates the app without listening on a port, so that tests can use it too. */
export const createApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { configuration, consoleRoot, checkAnswers = false } = options
  const serverOptions: FastifyHttpOptions<Server> = {
    logger: options.log ? loggerOptions(configuration.logLevel, options.log) : false,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // jambonz clients request /v1//Accounts.
      ignoreDuplicateSlashes: true,
      maxParamLength: 300,
    },
    bodyLimit: 100 * 1024,
    ...noJsonSchemas,
    // Errors that occur before routing get the same response format as all others.
    frameworkErrors: (error, request, reply) => void errorHandler(error, request, protect(sendRequestId(reply))),
    clientErrorHandler: handleClientError,
    rewriteUrl: ({ url = '/' }) => rewriteUrl(url),
    genReqId: (request) => parseRequestId(request, configuration.trustedProxies),
    // Requests to upgrade to other protocols, such as HTTP/2, are answered over HTTP/1.1.
    http: { shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
    requestTimeout: configuration.requestTimeoutSeconds * 1000,
    trustProxy: (_address, hop) => hop < configuration.trustedProxies,
    // Fastify would log query strings, where some clients put tokens. See access-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
  }
  const app = Fastify(serverOptions)
  const platform = options.platform ?? (await connectPlatform(configuration, app.log))
  if (options.platform === undefined) app.addHook('onClose', () => platform.close())
  const onAuditError = (error: unknown) =>
    app.log.error({ err: error }, 'denied requests could not be stored in the audit trail')
  const trail = options.trail ?? createAuditTrail(options.database, onAuditError)
  const onBackgroundError: OnBackgroundError = (error, message, fields) =>
    app.log.error({ err: error, ...fields }, message)
  app.addHook('onClose', () => stopLoggingDeaths())
  const stopLoggingDeaths = helperEvents.subscribe((event) =>
    app.log.error({ ...event }, 'a helper process ended in the middle of its work'),
  )
  const backgroundTasks = createBackgroundTasks(onBackgroundError)
  // Runs before the external services are closed, because background tasks need them.
  app.addHook('preClose', () => backgroundTasks.settled())
  const services = createServices({ ...options, platform, trail, backgroundTasks, onBackgroundError })
  app.decorate('calls', services.calls)
  app.decorate('callActivity', services.callActivity)
  app.addHook('onClose', () =>
    Promise.all([
      services.trail.flush(),
      services.counters.close?.(),
      services.voiceActivities.close(),
      services.masking.close(),
    ]),
  )
  if (options.runsBackgroundJobs) startBackgroundJobs(app, services, onBackgroundError)
  const quotas = createQuotas({
    database: options.database,
    limits: configuration.accountQuotas,
    logger: app.log,
    raisesAlerts: configuration.timeSeries === null,
  })
  const closeRecordingSockets = acceptRecordings({
    server: app.server,
    logger: app.log,
    writers: configuration.recordSocket,
    dataDir: configuration.dataDir,
    accounts: services.recordingAccounts,
    recordings: {
      store: async (recorded) => {
        services.intakes.markRecording()
        const version = await services.recordings.store(recorded)
        const call = { account_sid: recorded.account_sid, call_sid: recorded.name.call_sid }
        await enqueueConversations(options.database, [call], Date.now() + settlingMs).catch((error: unknown) =>
          onBackgroundError(error, 'the conversation of a recording could not be queued', call),
        )
        return version
      },
    },
    quota: createRecordingQuota(configuration.dataDir, configuration.accountQuotas.recordingBytes, quotas),
    getClientAddress: (request) => getClientAddress(request, configuration.trustedProxies),
  })
  app.addHook('preClose', closeRecordingSockets)
  addRequestContext(app, configuration.trustedProxies > 0)
  if (requestEvents.isObserved) observeRequests(app)
  if (configuration.accessLog) logRequests(app)
  if (configuration.rateLimit) limitConcurrentRequests(app, configuration.trustedProxies)
  app.setErrorHandler(errorHandler)
  app.addHook('onSend', async ({ protocol }, reply) => {
    protect(sendRequestId(reply))
    if (protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
  })
  const api = createApi({
    handlers: createHandlers(services, quotas),
    configuration,
    authenticate: createAuthentication({ ...services, sessions: platform.sessions }),
    owners: services.owners,
    trail: services.trail,
    rates: services.rates,
    checkAnswers,
    timeoutSeconds: configuration.requestTimeoutSeconds,
  })
  await app.register(api, { prefix: '/v1' })
  serveDocs(app)
  const migrations = listMigrations()
  const readiness = createReadiness({
    requiredMigrations: migrations,
    readMigrations: () => readAppliedMigrations(options.database.db),
    readSecretFits: () => fitsEncryptionCheck(options.database.db, services.encryption),
    logger: app.log,
    shutdownSignal: options.shutdownSignal,
  })
  serveHealth(app, readiness, { ...buildInfo, schema: migrations.at(-1) ?? '' })
  if (consoleRoot) {
    const { apiBase, awsRegion } = configuration
    const switches = consoleFlags(configuration)
    serveConsole(app, {
      root: consoleRoot,
      apiBase,
      awsRegion,
      hosting: createHostingSettings(configuration),
      paymentScript: getPaymentScript(configuration),
      extensions: apiExtensions(configuration),
      switches,
    })
  }
  app.setNotFoundHandler((request, reply) => {
    const acceptsHtml = request.method === 'GET' && request.headers.accept?.includes('text/html')
    return acceptsHtml && app.sendConsolePage
      ? app.sendConsolePage(reply)
      : reply.code(404).send(toErrorBody('unknown_path'))
  })
  return app
}

import { toErrorBody } from '@patchbay/contract/api/errors'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAuditTrail } from '../database/audit-trail.ts'
import { fitsEncryptionCheck } from '../database/encryption-check.ts'
import { listMigrations } from '../database/migrations.ts'
import { readAppliedMigrations } from '../database/schema-version.ts'
import { logRequests } from '../http/access-log.ts'
import { createApi } from '../http/api.ts'
import { createAuthentication } from '../http/authentication.ts'
import { limitConcurrentRequests } from '../http/concurrency-limit.ts'
import { serveConsole } from '../http/console.ts'
import { serveDocs } from '../http/docs.ts'
import { errorHandler } from '../http/errors.ts'
import { serveHealth } from '../http/health.ts'
import { observeRequests } from '../http/observe-requests.ts'
import { createReadiness } from '../http/readiness.ts'
import { addRequestContext } from '../http/request-context.ts'
import { sendRequestId } from '../http/request-id.ts'
import { protect } from '../http/security-headers.ts'
import { createBackgroundTasks } from '../lib/background-tasks.ts'
import { buildInfo } from '../lib/build-info.ts'
import type { LogStream, OnBackgroundError } from '../lib/log.ts'
import { helperEvents, requestEvents } from '../lib/telemetry.ts'
import { createHandlers } from '../resources/index.ts'
import type { Services } from '../resources/services.ts'
import { createConsoleSettings } from './console-features.ts'
import { createServices, type ServiceOptions } from './create-services.ts'
import { connectExternalServices, type ExternalServices } from './external-services.ts'
import { createFastifyOptions } from './fastify-options.ts'
import { runJobs } from './run-jobs.ts'
import { serveRecordings } from './serve-recordings.ts'

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
  /** Leaves it to the caller to close the masking, because intakes use it for longer than the app. */
  keepsMasking?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The only services of this process: stores, quotas, and masking have state and processes of their own. */
    services: Services
  }
}

/** Connects to the external services until the app has closed. */
const connectUntilClosed = async (app: FastifyInstance, { configuration }: AppOptions): Promise<ExternalServices> => {
  const externalServices = await connectExternalServices(configuration, app.log)
  app.addHook('onClose', () => externalServices.close())
  return externalServices
}

/** Creates the services of an app. They are closed with it. */
const openServices = async (app: FastifyInstance, options: AppOptions): Promise<Services> => {
  const externalServices = options.externalServices ?? (await connectUntilClosed(app, options))
  const onAuditError = (error: unknown) =>
    app.log.error({ err: error }, 'denied requests could not be stored in the audit trail')
  const onBackgroundError: OnBackgroundError = (error, message, fields) =>
    app.log.error({ err: error, ...fields }, message)
  const backgroundTasks = createBackgroundTasks(onBackgroundError)
  // Runs before the external services are closed, because background tasks need them.
  app.addHook('preClose', () => backgroundTasks.settled())
  const trail = options.trail ?? createAuditTrail(options.database, onAuditError)
  const services = createServices({
    ...options,
    externalServices,
    trail,
    backgroundTasks,
    onBackgroundError,
    logger: app.log,
  })
  app.addHook('onClose', () =>
    Promise.all([
      services.trail.flush(),
      services.counters.close?.(),
      services.voiceActivities.close(),
      options.keepsMasking ? undefined : services.masking.close(),
    ]),
  )
  return services
}

const logDeathsOfHelpers = (app: FastifyInstance): void => {
  const stop = helperEvents.subscribe((event) =>
    app.log.error({ ...event }, 'a helper process ended in the middle of its work'),
  )
  app.addHook('onClose', async () => stop())
}

/** Adds the hooks of all requests, to the API, the documentation, and the console. */
const addRequestHooks = (app: FastifyInstance, { configuration }: Services): void => {
  const { accessLog, rateLimit, trustedProxies } = configuration
  addRequestContext(app, trustedProxies > 0)
  if (requestEvents.isObserved) observeRequests(app)
  if (accessLog) logRequests(app)
  if (rateLimit) limitConcurrentRequests(app, trustedProxies)
  app.setErrorHandler(errorHandler)
  app.addHook('onSend', async ({ protocol }, reply) => {
    protect(sendRequestId(reply))
    if (protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
  })
}

const serveApi = async (
  app: FastifyInstance,
  services: Services,
  handlers: ReturnType<typeof createHandlers>,
  checkAnswers: boolean,
): Promise<void> => {
  const { configuration } = services
  const api = createApi({
    handlers,
    configuration,
    authenticate: createAuthentication(services),
    owners: services.owners,
    versions: services.recordVersions,
    trail: services.trail,
    rates: services.rates,
    checkAnswers,
    timeoutSeconds: configuration.requestTimeoutSeconds,
  })
  await app.register(api, { prefix: '/v1' })
  serveDocs(app)
}

const serveState = (app: FastifyInstance, { database, encryption }: Services, shutdownSignal?: AbortSignal): void => {
  const migrations = listMigrations()
  const readiness = createReadiness({
    requiredMigrations: migrations,
    readMigrations: () => readAppliedMigrations(database.db),
    readSecretFits: () => fitsEncryptionCheck(database.db, encryption),
    logger: app.log,
    shutdownSignal,
  })
  serveHealth(app, readiness, { ...buildInfo, schema: migrations.at(-1) ?? '' })
}

const answerUnknownPaths = (app: FastifyInstance): void => {
  app.setNotFoundHandler((request, reply) => {
    const acceptsHtml = request.method === 'GET' && request.headers.accept?.includes('text/html')
    return acceptsHtml && app.sendConsolePage
      ? app.sendConsolePage(reply)
      : reply.code(404).send(toErrorBody('unknown_path'))
  })
}

/** Creates the app without listening on a port, so that tests can use it too. */
export const createApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { configuration, consoleRoot, checkAnswers = false } = options
  const app = Fastify(createFastifyOptions(configuration, options.log))
  logDeathsOfHelpers(app)
  const services = await openServices(app, options)
  app.decorate('services', services)
  const handlers = createHandlers(services)
  if (options.runsBackgroundJobs) runJobs(app, services, handlers)
  serveRecordings(app, services)
  addRequestHooks(app, services)
  await serveApi(app, services, handlers, checkAnswers)
  serveState(app, services, options.shutdownSignal)
  if (consoleRoot) serveConsole(app, { root: consoleRoot, ...createConsoleSettings(configuration) })
  answerUnknownPaths(app)
  return app
}

import type { Actor } from '@patchbay/contract/api/access'
import { ApiError, type ApiErrorCode, throwInvalid } from '@patchbay/contract/api/errors'
import { newAlertDays } from '@patchbay/contract/new-alerts/record'
import type { Attention, Overview, overviewEndpoints, overviewQuery } from '@patchbay/contract/overview'
import { attentionKinds, maxAttentionCount } from '@patchbay/contract/shared/attention-kinds'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { isReadyForCalls } from '@patchbay/rules/overview/setup-steps'
import type { z } from 'zod'
import { readBackupStatus } from '../../backup/scheduled/backup-list.ts'
import type { CallOwner, SearchContext } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue, fairnessKey, type RunStep } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { findStoredProblems } from '../shared/attention-records.ts'
import { countLiveCalls } from '../shared/call-limits.ts'
import { createRegistrationReader } from '../shared/registration-health.ts'
import { findExpiringCertificates, findFailingBackups, findFailingCarriers, toAttention } from './attention.ts'
import { outcomeDays, readCallFigures, unconnectedCallData, unconnectedLiveCalls } from './call-figures.ts'
import { findNearLimits } from './limits.ts'
import { readSetupSteps } from './setup.ts'

type Query = z.output<typeof overviewQuery>

interface Request {
  owner: CallOwner
  query: Query
  actor: Actor
}

/** Answered calls in this period show that users can make calls. */
const answeredDays = 30
/** Days are at most 26 hours long, and the time zones of callers differ by 26 hours. */
const maxTodayMs = 2 * dayMs

/** Returns the start of the caller's day, in milliseconds since the Unix epoch. */
const parseToday = ({ today }: Query, now: number): number => {
  if (today === undefined) return now - (now % dayMs)
  const start = Date.parse(today)
  return start > now || start < now - maxTodayMs
    ? throwInvalid('"today" is not within the last two days', 'today')
    : start
}

const weekMs = 7 * dayMs
/** A change of the clock moves a time of the day by at most this. */
const maxClockChangeMs = 3 * hourMs

/** Returns an instant of last week that the caller names, or the default. */
const parseLastWeek = (query: Query, name: 'last_week_from' | 'last_week_until', usual: number): number => {
  const { [name]: text } = query
  if (text === undefined) return usual
  const at = Date.parse(text)
  return Math.abs(at - usual) > maxClockChangeMs ? throwInvalid(`"${name}" is not one week ago`, name) : at
}

/** The errors of an external service that does not respond, or not in time. */
const unavailableCodes: ReadonlySet<ApiErrorCode> = new Set(['unavailable', 'timed_out'])

/** Maximum number of running and waiting overviews per tenant. */
const maxOverviewsPerTenant = 16

export const overviewRoutes = (services: Services): Handlers<keyof typeof overviewEndpoints> => {
  const { alertGroups, callActivity, certificates, configuration, database, liveCalls, newAlerts } = services
  const readRegistrations = createRegistrationReader(services.captures)
  const sources = { ...services, readRegistrations }
  const queue = createFairQueue({
    name: 'overview',
    concurrency: database.concurrency.reads,
    max: maxOverviewsPerTenant,
  })

  /**
   * Returns undefined if an external service fails, so that the rest of the overview is still shown. Throws other
   * errors.
   */
  const ifAvailable = async <T>(read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read
    } catch (error) {
      if (error instanceof ApiError && unavailableCodes.has(error.code)) return undefined
      throw error
    }
  }

  const isCallDataConnected = configuration.timeSeries !== null || configuration.influxIntake !== null

  const readLiveCalls = async (owner: CallOwner) => {
    if (configuration.redis === null) return { section: unconnectedLiveCalls, calls: new Map<string, number>() }
    const counts = await ifAvailable(liveCalls.countInProgress())
    if (counts === undefined)
      return {
        section: { state: 'unavailable', setting: null, count: null } as const,
        calls: new Map<string, number>(),
      }
    const calls = await countLiveCalls(database, owner, counts)
    const count = [...calls.values()].reduce((sum, one) => sum + one, 0)
    return { section: { state: 'connected', setting: null, count } as const, calls }
  }

  const readCallData = async (owner: CallOwner, query: Query, now: number, searcher: SearchContext) => {
    const today = parseToday(query, now)
    const lastWeek = {
      from: parseLastWeek(query, 'last_week_from', today - weekMs),
      until: parseLastWeek(query, 'last_week_until', now - weekMs),
    }
    const read = async () => {
      const [outcomes, hasCalls, hasAnsweredCalls, hasAnswered] = await Promise.all([
        callActivity.countOutcomes(owner, outcomeDays(now), searcher),
        callActivity.hasCalls(owner, undefined, searcher),
        callActivity.hasCalls(owner, now - answeredDays * dayMs, searcher),
        callActivity.hasCalls(owner, 0, searcher),
      ])
      const figures = await readCallFigures(services, owner, { now, today, lastWeek }, outcomes, searcher)
      return { outcomes, hasCalls, hasAnsweredCalls, hasAnswered, figures }
    }
    const callData = await ifAvailable(read())
    const unknown = { outcomes: [], hasCalls: undefined, hasAnsweredCalls: false, hasAnswered: false }
    if (callData === undefined)
      return { section: { state: 'unavailable', setting: null, figures: null } as const, ...unknown }
    // Calls that were stored before the intake was turned off are still shown.
    if (!isCallDataConnected && !callData.hasCalls) return { section: unconnectedCallData, ...unknown }
    const { figures, ...more } = callData
    return { section: { state: 'connected', setting: null, figures } as const, ...more }
  }

  /** Counts the alerts that the user has not seen, or those since a time for API keys and on request. */
  const countAlerts = async (
    { owner, query: { alerts_since }, actor: { user_sid } }: Request,
    now: number,
    searcher: SearchContext,
  ) => {
    const from = alerts_since === undefined ? now - newAlertDays * dayMs : Date.parse(alerts_since)
    const counted =
      user_sid === null || alerts_since !== undefined
        ? alertGroups.countOpen({ owner, from }, searcher)
        : newAlerts.search({ owner, user_sid, from, count: 1 }, searcher).then(({ total }) => total)
    return (await ifAvailable(counted)) ?? 0
  }

  const readOverview = async (request: Request, searcher: SearchContext, runStep: RunStep) => {
    const { owner, query, actor } = request
    const now = Date.now()
    const [live, callData, alertCount] = await Promise.all([
      readLiveCalls(owner),
      readCallData(owner, query, now, searcher),
      countAlerts(request, now, searcher),
    ])
    const seesBackups = actor.scope === 'admin' && configuration.backups !== null
    const { stored, steps, limit_near, backup_failing } = await runStep(async () => ({
      backup_failing: seesBackups ? findFailingBackups(await readBackupStatus(database, now), now) : [],
      stored: await findStoredProblems(sources, owner, now),
      steps: await readSetupSteps(sources, owner, {
        calls: { ...callData, hasAnsweredLately: callData.hasAnsweredCalls },
        searcher,
        now,
      }),
      limit_near: await findNearLimits(database, owner, live.calls, configuration.accountQuotas, now),
    }))
    const problems = {
      ...stored,
      carrier_failing: findFailingCarriers(callData.outcomes),
      limit_near,
      backup_failing,
      certificate_expiring: actor.scope === 'admin' ? findExpiringCertificates(certificates.latest(), now) : [],
    }
    const alertAttention: Attention[] =
      alertCount === 0 ? [] : [{ kind: 'alerts', count: Math.min(alertCount, maxAttentionCount), records: [] }]
    const overview: Overview = {
      live_calls: live.section,
      call_data: callData.section,
      attention: attentionKinds.flatMap((kind) =>
        kind === 'alerts' ? alertAttention : toAttention(kind, problems[kind]),
      ),
      setup: { is_ready: isReadyForCalls(steps, callData.hasAnsweredCalls), steps },
    }
    return overview
  }

  const read = async (
    owner: CallOwner,
    { query, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    parseToday(query, Date.now())
    const searcher = { owner: fairnessKey(actor), signal }
    return ok(
      await queue.run(searcher.owner, (runStep) => readOverview({ owner, query, actor }, searcher, runStep), signal),
    )
  }

  return {
    'GET /patchbay/accounts/:account_sid/overview': (context) =>
      read({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/overview': (context) =>
      read({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}

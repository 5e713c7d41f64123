import type { ApplicationConcern } from '@patchbay/contract/shared/application-concerns'
import { alertDelayMs, isInboundFailure, isWebhookFailure } from '@patchbay/rules/call-verdict/alert-rules'
import { getEnd } from '@patchbay/rules/call-verdict/evidence'
import { groupBy } from '@patchbay/rules/lib/groups'
import type { Alerts } from '../../call-data/alerts/alerts.ts'
import type { Calls } from '../../call-data/calls/calls.ts'
import type { CallOwner, SearchContext } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { isUsableByAny } from './usable-speech-services.ts'

/** Finds the reasons for which the next call of an application can fail, as far as they are stored. */

/** The settings of an application that its calls depend on. */
export interface ApplicationNeeds {
  application_sid: string
  /** Null for an application of a provider, which no account's calls use. */
  account_sid: string | null
  service_provider_sid: string | null
  /** URL of the calling webhook. */
  url: string | null
  app_json: string | null
  speech_synthesis_vendor: string
  speech_synthesis_label: string | null
  speech_recognizer_vendor: string
  speech_recognizer_label: string | null
}

export const selectApplicationNeeds = ({ reader }: Pick<Database, 'reader'>) =>
  reader
    .selectFrom('applications')
    .leftJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .leftJoin('webhooks', 'webhooks.webhook_sid', 'applications.call_hook_sid')
    .select(['applications.application_sid', 'applications.name', 'applications.account_sid', 'applications.app_json'])
    .select([
      'applications.speech_synthesis_vendor',
      'applications.speech_synthesis_label',
      'applications.speech_recognizer_vendor',
      'applications.speech_recognizer_label',
      'webhooks.url',
    ])
    .select(({ fn }) =>
      fn.coalesce('accounts.service_provider_sid', 'applications.service_provider_sid').as('service_provider_sid'),
    )

const hasInstructions = ({ url, app_json }: Pick<ApplicationNeeds, 'url' | 'app_json'>): boolean =>
  Boolean(url) || Boolean(app_json)

type Owners = Pick<ApplicationNeeds, 'account_sid' | 'service_provider_sid'>

/**
 * Reads the speech services that the calls of applications can use, without their keys. Returns a function for those of
 * an application.
 */
export const readUsableServices = async ({ reader }: Pick<Database, 'reader'>, applications: readonly Owners[]) => {
  // MySQL accepts no empty list.
  if (applications.length === 0) return () => []
  const accounts = [...new Set(applications.map(({ account_sid }) => account_sid ?? ''))]
  const providers = [...new Set(applications.map(({ service_provider_sid }) => service_provider_sid ?? ''))]
  const isShared = ({ account_sid }: { account_sid: string | null }) => account_sid === null
  const rows = await reader
    .selectFrom('speech_credentials')
    .select(['account_sid', 'service_provider_sid', 'vendor', 'label'])
    .select(['use_for_tts', 'use_for_stt', 'tts_tested_ok', 'stt_tested_ok'])
    .where((where) => isUsableByAny(where, accounts, providers))
    .execute()
  const own = groupBy(
    rows.filter((row) => !isShared(row)),
    ({ account_sid }) => account_sid,
  )
  const shared = groupBy(rows.filter(isShared), ({ service_provider_sid }) => service_provider_sid)
  return ({ account_sid, service_provider_sid }: Owners) => [
    ...(own.get(account_sid) ?? []),
    ...(shared.get(service_provider_sid) ?? []),
  ]
}

type UsableService = ReturnType<Awaited<ReturnType<typeof readUsableServices>>>[number]

/**
 * Returns which speech services of the application the account lacks, and which failed their last test, or that the
 * application has no instructions.
 */
export const judgeConfiguration = (
  application: ApplicationNeeds,
  services: readonly UsableService[],
): ApplicationConcern[] => {
  const find = (
    use: 'tts' | 'stt',
    vendor: string,
    label: string | null,
    isUsed: 'use_for_tts' | 'use_for_stt',
    isTested: 'tts_tested_ok' | 'stt_tested_ok',
  ): ApplicationConcern[] => {
    const name = label || null
    const usable = services.filter(
      (service) => service.vendor === vendor && (service.label || null) === name && service[isUsed] === 1,
    )
    if (usable.length === 0) return [{ is: 'speech_missing', use, vendor, label: name }]
    return usable.every((service) => service[isTested] === 0) ? [{ is: 'speech_failed', use, vendor, label: name }] : []
  }
  return [
    ...(hasInstructions(application) ? [] : [{ is: 'no_instructions' } as const]),
    ...find(
      'tts',
      application.speech_synthesis_vendor,
      application.speech_synthesis_label,
      'use_for_tts',
      'tts_tested_ok',
    ),
    ...find(
      'stt',
      application.speech_recognizer_vendor,
      application.speech_recognizer_label,
      'use_for_stt',
      'stt_tested_ok',
    ),
  ]
}

/** The call records supplement a prediction, so they are not waited for longer. */
const timeoutSeconds = 1.5

/** With more alerts during the last call, the one of the webhook may not be among them. */
const maxAlerts = 200

interface CallSources {
  calls: Pick<Calls, 'search'>
  alerts: Pick<Alerts, 'search'>
}

type LastCall = Awaited<ReturnType<Calls['search']>>['calls'][number]
type RaisedAlerts = Pick<Awaited<ReturnType<Alerts['search']>>, 'alerts' | 'total'>
type RaisedAlert = RaisedAlerts['alerts'][number]

const unproven = { is: 'webhook_unproven' } as const

/** The platform executes stored verbs without the webhook. */
const usesWebhook = ({ url, app_json }: Pick<ApplicationNeeds, 'url' | 'app_json'>): boolean =>
  Boolean(url) && !app_json

/** Judges the application by its last inbound call, and the alerts that were raised at its time. */
const judgeLastCall = (
  application: Pick<ApplicationNeeds, 'url' | 'app_json'>,
  last: LastCall,
  { alerts, total }: RaisedAlerts,
): ApplicationConcern[] => {
  const { url } = application
  const at = last.attempted_at
  const isOfCall = ({ target_sid }: RaisedAlert): boolean => target_sid === last.call_sid
  const webhook = usesWebhook(application)
    ? alerts.find(
        (alert) =>
          isWebhookFailure(alert.alert_type) &&
          (alert.target_sid === null ? alert.message.includes(url ?? '') : isOfCall(alert)),
      )
    : undefined
  if (webhook !== undefined) return [{ is: 'webhook_failed', alert_type: webhook.alert_type, at }]
  const failure = alerts.find((alert) => isOfCall(alert) && isInboundFailure(alert.alert_type))
  if (failure !== undefined) return [{ is: 'call_failed', alert_type: failure.alert_type, at }]
  return !usesWebhook(application) || (last.answered && total <= maxAlerts) ? [] : [unproven]
}

/** Returns the time in which alerts about a call can be raised. */
const toAlertPeriod = (call: LastCall) => ({ from: Date.parse(call.attempted_at), until: getEnd(call) + alertDelayMs })

const readLastCall = async (
  { calls, alerts }: CallSources,
  application: ApplicationNeeds,
  searcher: SearchContext,
): Promise<ApplicationConcern[]> => {
  const { application_sid, account_sid } = application
  const noCall = usesWebhook(application) ? [unproven] : []
  if (account_sid === null) return noCall
  const owner = { account_sid }
  const filter = { owner, application_sid, direction: 'inbound', page: 1, pageSize: 1 } as const
  const [last] = (await calls.search(filter, searcher)).calls
  if (last === undefined) return noCall
  const raised = await alerts.search({ owner, ...toAlertPeriod(last), page: 1, pageSize: maxAlerts }, searcher)
  return judgeLastCall(application, last, raised)
}

const noResponse = () => new Error('the store of call records does not respond')

/**
 * Returns what alerts about the last inbound call of the application say. If the call records say nothing about its webhook, or
 * cannot be read, it is unproven.
 */
export const findLastCallConcerns = (
  sources: CallSources,
  application: ApplicationNeeds,
  searcher: SearchContext,
): Promise<ApplicationConcern[]> =>
  withTimeout(readLastCall(sources, application, searcher), timeoutSeconds, noResponse).catch(() =>
    usesWebhook(application) ? [unproven] : [],
  )

/** The newest calls of an owner, among which the last ones of applications are searched. */
const maxRecentCalls = 100

const readRecentFailures = async (
  { calls, alerts }: CallSources,
  owner: CallOwner,
  applications: readonly ApplicationNeeds[],
  searcher: SearchContext,
): Promise<ReadonlyMap<string, ApplicationConcern[]>> => {
  const filter = { owner, direction: 'inbound', page: 1, pageSize: maxRecentCalls } as const
  const recent = (await calls.search(filter, searcher)).calls
  const lastCalls = new Map(recent.toReversed().map((call) => [call.application_sid, call]))
  const judged = applications.flatMap((application) => {
    const last = lastCalls.get(application.application_sid)
    return last === undefined ? [] : [{ application, last, period: toAlertPeriod(last) }]
  })
  if (judged.length === 0) return new Map()
  const period = {
    from: Math.min(...judged.map((one) => one.period.from)),
    until: Math.max(...judged.map((one) => one.period.until)),
  }
  const raised = await alerts.search({ owner, ...period, page: 1, pageSize: maxAlerts }, searcher)
  return new Map(
    judged.map(({ application, last }) => [application.application_sid, judgeLastCall(application, last, raised)]),
  )
}

/**
 * Returns what alerts about the last calls of several applications say, from the newest calls of their owner. An application without
 * one among them has no concern.
 */
export const findRecentCallConcerns = (
  sources: CallSources,
  owner: CallOwner,
  applications: readonly ApplicationNeeds[],
  searcher: SearchContext,
): Promise<ReadonlyMap<string, ApplicationConcern[]>> =>
  withTimeout(readRecentFailures(sources, owner, applications, searcher), timeoutSeconds, noResponse).catch(
    () => new Map<string, ApplicationConcern[]>(),
  )

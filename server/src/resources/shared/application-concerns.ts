import { alertDelayMs, isWebhookFailure } from '@patchbay/contract/call-verdict/alert-rules'
import { getEnd } from '@patchbay/contract/call-verdict/evidence'
import type { ApplicationConcern } from '@patchbay/contract/shared/application-concerns'
import type { Alerts } from '../../call-data/alerts/alerts.ts'
import type { Calls } from '../../call-data/calls/calls.ts'
import type { SearchContext } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { selectUsableServices } from './usable-speech-services.ts'

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

/** Reads the speech services that the calls of an application can use. */
export const readUsableServices = (
  { reader }: Pick<Database, 'reader'>,
  { account_sid, service_provider_sid }: Pick<ApplicationNeeds, 'account_sid' | 'service_provider_sid'>,
) => selectUsableServices(reader, account_sid ?? '', service_provider_sid ?? '').execute()

type UsableService = Awaited<ReturnType<typeof readUsableServices>>[number]

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

const readLastCall = async (
  { calls, alerts }: CallSources,
  { application_sid, account_sid, url }: ApplicationNeeds,
  searcher: SearchContext,
): Promise<ApplicationConcern[]> => {
  const unproven = [{ is: 'webhook_unproven' } as const]
  if (account_sid === null) return unproven
  const owner = { account_sid }
  const last = (await calls.search({ owner, application_sid, direction: 'inbound', page: 1, pageSize: 1 }, searcher))
    .calls[0]
  if (last === undefined) return unproven
  const period = { from: Date.parse(last.attempted_at), until: getEnd(last) + alertDelayMs }
  const raised = await alerts.search({ owner, ...period, page: 1, pageSize: maxAlerts }, searcher)
  const failure = raised.alerts.find(
    ({ alert_type, target_sid, message }) =>
      isWebhookFailure(alert_type) &&
      (target_sid === null ? Boolean(url) && message.includes(url ?? '') : target_sid === last.call_sid),
  )
  if (failure !== undefined) return [{ is: 'webhook_failed', alert_type: failure.alert_type, at: last.attempted_at }]
  return last.answered && raised.total <= maxAlerts ? [] : unproven
}

/**
 * Returns whether the webhook of the application failed at its last inbound call. If the call records say nothing about
 * it, or cannot be read, it is unproven.
 */
export const findWebhookConcerns = async (
  sources: CallSources,
  application: ApplicationNeeds,
  searcher: SearchContext,
): Promise<ApplicationConcern[]> => {
  // The platform executes stored verbs without the webhook.
  if (!application.url || application.app_json) return []
  const noResponse = () => new Error('the store of call records does not respond')
  return withTimeout(readLastCall(sources, application, searcher), timeoutSeconds, noResponse).catch(() => [
    { is: 'webhook_unproven' } as const,
  ])
}

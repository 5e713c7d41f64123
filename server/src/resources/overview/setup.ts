import type { RegistrationHealth } from '@patchbay/contract/carrier-health'
import type { ApplicationConcern } from '@patchbay/contract/shared/application-concerns'
import { type SetupStep, type StepProblem, setupSteps } from '@patchbay/contract/shared/attention-kinds'
import { groupBy } from '@patchbay/rules/lib/groups'
import type { ExpressionBuilder } from 'kysely'
import type { PlatformHealth } from '../../adapters/platform-health/platform-health.ts'
import type { Alerts } from '../../call-data/alerts/alerts.ts'
import type { Calls } from '../../call-data/calls/calls.ts'
import type { CallOwner, SearchContext } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { withTimeout } from '../../lib/timeout.ts'
import {
  findRecentCallConcerns,
  judgeConfiguration,
  readUsableServices,
  selectApplicationNeeds,
} from '../shared/application-concerns.ts'
import { selectCarriers } from '../shared/carrier-registrations.ts'
import { hasRows, selectOwnedAccounts } from '../shared/owned-rows.ts'
import type { RegistrationReader } from '../shared/registration-health.ts'
import { readNumber } from './setup-number.ts'
import { chooseStep, done, failing, maxRecords, open, type Step, untested } from './setup-step.ts'

/** Derives the state of the setup steps from records, so that no user has to tick anything off. */

export interface SetupSources {
  database: Database
  readRegistrations: RegistrationReader
  /** Undefined without Redis. */
  platformHealth: PlatformHealth | undefined
  calls: Calls
  alerts: Alerts
}

interface CallKnowledge {
  /** Undefined if the call data cannot be read. */
  hasCalls: boolean | undefined
  /** Whether a call was ever answered. */
  hasAnswered: boolean
  hasAnsweredLately: boolean
}

interface StepContext {
  calls: CallKnowledge
  searcher: SearchContext
  /** Milliseconds since the Unix epoch. */
  now: number
}

/** Returns the provider of an owner. */
const selectProvider = ({ reader }: Database, owner: CallOwner) =>
  reader
    .selectFrom('service_providers as provider')
    .select('provider.service_provider_sid')
    .where((where) =>
      'service_provider_sid' in owner
        ? where('provider.service_provider_sid', '=', owner.service_provider_sid)
        : where(
            'provider.service_provider_sid',
            '=',
            where
              .selectFrom('accounts as own')
              .select('own.service_provider_sid')
              .where('own.account_sid', '=', owner.account_sid),
          ),
    )

/** SIP addresses of the provider, or shared ones. */
const readSipAddresses = async ({ database }: SetupSources, owner: CallOwner): Promise<Step> => {
  const addresses = database.reader
    .selectFrom('sbc_addresses')
    .select('sbc_address_sid')
    .where((where) =>
      where.or([
        where('service_provider_sid', 'is', null),
        where('service_provider_sid', 'in', selectProvider(database, owner)),
      ]),
    )
  return (await hasRows(addresses)) ? done : open
}

/** A ping is a supplement, so Redis is not waited for longer. */
const timeoutSeconds = 1.5

interface GatewayOfCarrier {
  voip_carrier_sid: string
  sip_gateway_sid: string
  requires_register: 0 | 1
  register_status: string | null
}

/** Returns the gateways that failed a ping. Without Redis, none is known to have failed. */
const readFailures = async (
  { platformHealth }: SetupSources,
  gateways: readonly GatewayOfCarrier[],
): Promise<ReadonlySet<string>> => {
  if (platformHealth === undefined || gateways.length === 0) return new Set()
  const sids = gateways.map(({ sip_gateway_sid }) => sip_gateway_sid)
  const noResponse = () => new Error('Redis does not respond')
  const failures = withTimeout(platformHealth.failingGateways(sids), timeoutSeconds, noResponse)
  return new Set((await failures.catch(() => new Map<string, number>())).keys())
}

/** Returns why a carrier with these gateways may not reach the telephone network, or undefined if nothing is known. */
const judgeGateways = (
  gateways: readonly GatewayOfCarrier[],
  failures: ReadonlySet<string>,
  registration: RegistrationHealth | undefined,
): Step | undefined => {
  if (gateways.every(({ sip_gateway_sid }) => failures.has(sip_gateway_sid))) return failing('pings_failing')
  if (registration === undefined || registration.state === 'registered') return undefined
  return registration.state === 'unknown' ? untested('registration_unreported') : failing('registration_failing')
}

/** The carriers that the owner can use, with an active gateway, and why they may not work. */
const readCarriers = async (
  sources: SetupSources,
  owner: CallOwner,
  now: number,
): Promise<ReadonlyMap<string, Step | undefined>> => {
  const gateways = await selectCarriers(sources.database.reader, owner)
    .innerJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
    .select(['voip_carriers.voip_carrier_sid', 'sip_gateways.sip_gateway_sid'])
    .select(['voip_carriers.requires_register', 'voip_carriers.register_status'])
    .where('voip_carriers.is_active', '=', 1)
    .where('sip_gateways.is_active', '=', 1)
    .where((where) => where.or([where('sip_gateways.inbound', '=', 1), where('sip_gateways.outbound', '=', 1)]))
    .limit(maxRecords)
    .execute()
  const byCarrier = groupBy(gateways, ({ voip_carrier_sid }) => voip_carrier_sid)
  const registering = [...byCarrier.values()].flatMap(([gateway]) => (gateway?.requires_register ? [gateway] : []))
  const [failures, registrations] = await Promise.all([
    readFailures(sources, gateways),
    sources.readRegistrations(registering, now),
  ])
  return new Map(
    [...byCarrier].map(([sid, its]) => [sid, judgeGateways(its, failures, registrations.get(sid))] as const),
  )
}

/** Matches the services that serve a use, with this result of its last test. */
const isTestedAs = (where: ExpressionBuilder<Tables, 'speech_credentials'>, result: 0 | 1) =>
  where.or([
    where.and([where('use_for_tts', '=', 1), where('tts_tested_ok', '=', result)]),
    where.and([where('use_for_stt', '=', 1), where('stt_tested_ok', '=', result)]),
  ])

/** A speech service that the owner can use. A successful test of one is enough. */
const readSpeech = async ({ database }: SetupSources, owner: CallOwner): Promise<Step> => {
  const services = database.reader
    .selectFrom('speech_credentials')
    .select('speech_credential_sid')
    .where((where) => where.or([where('use_for_tts', '=', 1), where('use_for_stt', '=', 1)]))
    .where((where) =>
      where.or([
        where('account_sid', 'in', selectOwnedAccounts(database, owner)),
        where.and([
          where('account_sid', 'is', null),
          where('service_provider_sid', 'in', selectProvider(database, owner)),
        ]),
      ]),
    )
  if (!(await hasRows(services))) return open
  if (await hasRows(services.where((where) => isTestedAs(where, 1)))) return done
  const hasFailed = await hasRows(services.where((where) => isTestedAs(where, 0)))
  return hasFailed ? failing('speech_failed') : untested('speech_untested')
}

const applicationProblems: Readonly<Record<ApplicationConcern['is'], StepProblem | undefined>> = {
  no_instructions: undefined,
  speech_missing: 'speech_missing',
  speech_failed: 'speech_failed',
  webhook_failed: 'webhook_failed',
  call_failed: 'call_failed',
  // The first call proves it.
  webhook_unproven: undefined,
}

/** The applications with a calling webhook or verbs, and why their calls would fail. */
const readApplications = async (
  sources: SetupSources,
  owner: CallOwner,
  { calls: { hasAnsweredLately }, searcher }: StepContext,
): Promise<ReadonlyMap<string, Step | undefined>> => {
  const applications = await selectApplicationNeeds(sources.database)
    .where('applications.account_sid', 'in', selectOwnedAccounts(sources.database, owner))
    .where((where) => where.or([where('webhooks.url', '!=', ''), where('applications.app_json', 'is not', null)]))
    .orderBy('applications.application_sid')
    .limit(maxRecords)
    .execute()
  const getServices = await readUsableServices(sources.database, applications)
  // Answered calls prove that webhooks respond.
  const atCalls = hasAnsweredLately
    ? new Map<string, ApplicationConcern[]>()
    : await findRecentCallConcerns(sources, owner, applications, searcher)
  const concerns = applications.map((application): [string, ApplicationConcern[]] => {
    const { application_sid } = application
    return [
      application_sid,
      [...judgeConfiguration(application, getServices(application)), ...(atCalls.get(application_sid) ?? [])],
    ]
  })
  return new Map(
    concerns.map(([sid, its]) => {
      const [problem] = its.flatMap(({ is }) => applicationProblems[is] ?? [])
      return [sid, problem && failing(problem)] as const
    }),
  )
}

const toFirstCall = ({ hasCalls, hasAnswered }: CallKnowledge): Step => {
  if (hasCalls === undefined) return { state: 'unknown', problem: null }
  if (!hasCalls) return open
  return hasAnswered ? done : failing('not_answered')
}

/** Returns the state of each step, in order. */
export const readSetupSteps = async (
  sources: SetupSources,
  owner: CallOwner,
  context: StepContext,
): Promise<(Step & { step: SetupStep })[]> => {
  const [sip_addresses, carriers, speech, applications] = await Promise.all([
    readSipAddresses(sources, owner),
    readCarriers(sources, owner, context.now),
    readSpeech(sources, owner),
    readApplications(sources, owner, context),
  ])
  const states: Record<SetupStep, Step> = {
    sip_addresses,
    carrier: chooseStep([...carriers.values()]),
    speech,
    application: chooseStep([...applications.values()]),
    number: await readNumber(sources.database, owner, carriers, applications),
    first_call: toFirstCall(context.calls),
  }
  return setupSteps.map((step) => ({ step, ...states[step] }))
}

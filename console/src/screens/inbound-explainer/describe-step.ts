import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import type { ApplicationConcern } from '@patchbay/contract/shared/application-concerns'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import { vendorName } from '@patchbay/rules/speech/names'
import { describeHealth } from '../../sections/carrier-health/health-labels.ts'
import type { Outcome } from '../../sections/routing-outcome.tsx'
import { countText } from '../../ui/format/text.ts'

/** Texts that explain the routing of an inbound call. The routing itself is implemented in server/src/resources/inbound-routing/inbound.ts. */

type Step = InboundAnswer['steps'][number]
type End = InboundAnswer['end']
type Gateway = Extract<Step, { is: 'gateways' }>['gateways'][number]

/** A step of the explanation. Its lines name the candidates that the step considers. */
export interface StepDescription {
  title: string
  lines: string[]
  /** The step found nothing, and the lookup continued. */
  isMiss: boolean
}

export const notYours = 'a record of another tenant'

const ownerText = (isFound: boolean, account: { name: string } | null): string =>
  isFound ? (account?.name ?? notYours) : 'nobody'

const gatewayText = (gateway: Gateway): string =>
  gateway === null
    ? notYours
    : `${gateway.ipv4}${gateway.netmask === 32 ? '' : `/${gateway.netmask}`} of ${gateway.carrier?.name ?? notYours}`

const lookupTitles = {
  realm: 'Gateways of carriers that the account may use',
  network: 'Gateways with this address or a network that contains it, in all tenants, most specific first',
} as const

const matchLabels = {
  matched: 'matches',
  unmatched: 'does not match',
  invalid: 'invalid expression: skipped',
} as const

export const describeStep = (step: Step): StepDescription => {
  switch (step.is) {
    case 'realm':
      return {
        title: 'Account with this host as SIP realm',
        lines: [step.found ? ownerText(true, step.account) : 'No active account has this SIP realm.'],
        isMiss: !step.found,
      }
    case 'gateways':
      return {
        title: lookupTitles[step.how],
        lines:
          step.gateways.length > 0 ? step.gateways.map(gatewayText) : ['No gateway accepts calls from this address.'],
        isMiss: step.gateways.length === 0,
      }
    case 'registrations':
      return {
        title: 'Carriers that register with this host and user and call from this address',
        lines: step.gateways.length > 0 ? step.gateways.map(gatewayText) : ['None.'],
        isMiss: step.gateways.length === 0,
      }
    case 'numbers':
      return {
        title: 'Exact number on these carriers',
        lines: step.rows.length > 0 ? step.rows.map((row) => row?.number ?? notYours) : ['No match.'],
        isMiss: step.rows.length === 0,
      }
    case 'patterns':
      return {
        title: 'Patterns on these carriers, longest first. A pattern matches anywhere in the number',
        lines: step.tried.map(({ row, match }) => `${row?.number ?? notYours}: ${matchLabels[match]}`),
        isMiss: step.tried.every(({ match }) => match !== 'matched'),
      }
    case 'default_carriers':
      return {
        title: 'Carriers of an account with a default application',
        lines: step.gateways.length > 0 ? step.gateways.map(gatewayText) : ['None.'],
        isMiss: step.gateways.length === 0,
      }
    case 'only_account':
      return {
        title: 'The only account of the carrier’s service provider',
        lines: [step.found ? ownerText(true, step.account) : 'It has no account or several.'],
        isMiss: !step.found,
      }
    case 'teams':
      return {
        title: 'MS Teams tenant with this domain, because the call comes from Microsoft Teams',
        lines: [step.found ? 'Found.' : 'None.'],
        isMiss: !step.found,
      }
    case 'devices':
      return {
        title: 'Account with the called SIP realm, because a call without a carrier comes from a device',
        lines: [step.found ? ownerText(true, step.account) : 'No account has this SIP realm or its parent domain.'],
        isMiss: !step.found,
      }
  }
}

const rejectionReasons: Readonly<Record<Extract<End, { is: 'refused' }>['why'], string>> = {
  not_provisioned: 'Number Not Provisioned: no number or pattern of the carrier matches.',
  several_numbers: 'The number exists on several carriers that share the address.',
  several_registrations: 'More than one carrier registers with this host and user.',
  several_carriers: 'More than one account has a carrier with a default application at this address.',
  inactive_account: 'The account is inactive.',
  no_account: 'The number on this carrier belongs to no account.',
  no_teams_tenant: 'No MS Teams tenant has this domain.',
  unknown_realm: 'No carrier takes the call, and no account has this SIP realm.',
}

const applicationSources = {
  number: 'set at the number',
  carrier: 'the default application of the carrier',
  account: 'the application for SIP device calls',
  teams: 'set at the MS Teams tenant',
} as const

const speechUses = { tts: 'text-to-speech', stt: 'speech-to-text' } as const

const serviceText = ({ use, vendor, label }: Extract<ApplicationConcern, { use: unknown }>): string =>
  `${vendorName(vendor)}${label === null ? '' : ` with the label “${label}”`} for ${speechUses[use]}`

type Concern = InboundAnswer['concerns'][number]

const describeLimit = ({ of, used }: Extract<Concern, { is: 'limit_reached' }>): string => {
  const owner = of === 'account' ? 'account' : 'service provider'
  const calls = used === null ? 'calls' : countText(used, used, ['call', 'calls'])
  return `The ${owner} has ${calls} in progress, as many as its limit allows. An SBC that enforces limits rejects more.`
}

/** Returns a sentence about what can make a call of the application fail. */
const describeConcern = (concern: Concern): string => {
  switch (concern.is) {
    case 'no_instructions':
      return 'The application has no calling webhook and no verbs.'
    case 'speech_missing':
      return `The account has no speech service of ${serviceText(concern)}.`
    case 'speech_failed':
      return `The last test of the speech service failed: ${serviceText(concern)}.`
    case 'webhook_failed':
      return `At the last call of the application, its webhook failed: ${formatAlertType(concern.alert_type)}.`
    case 'call_failed':
      return `At the last call of the application, an alert was raised: ${formatAlertType(concern.alert_type)}.`
    case 'webhook_unproven':
      return 'No stored call shows that the webhook of the application responds.'
    case 'limit_reached':
      return describeLimit(concern)
  }
}

/** Returns whether a concern is a failure. Missing knowledge is none, and neither is a limit that may not be enforced. */
const isFailure = ({ is }: Concern): boolean => is !== 'webhook_unproven' && is !== 'limit_reached'

/** Returns whether the carrier of a call is known to fail, and the sentences about its state. */
const judgeCarrier = (health: CarrierHealthSummary | undefined) => ({
  isFailing: health?.state === 'failing' || health?.state === 'partly_failing',
  isProven: health?.state === 'no_failure_known',
  sentences: health === undefined ? [] : [describeHealth({ ...health, calls: null })].filter(Boolean),
})

const versionNote =
  'Versions of the SBC differ here: some ignore networks if a gateway has exactly this address, and decide otherwise.'

const describeTrunks = ({ trunks, has_application }: Extract<End, { is: 'taken' }>): string[] =>
  trunks.length === 0
    ? []
    : [
        `As a device, ${has_application ? 'an application handles it' : 'no application is set to handle it'}.`,
        ...trunks.map(
          (trunk) =>
            `With the credentials of trunk ${trunk.name}, ${trunk.has_application ? 'an application of the trunk or of its number handles it' : 'no application is set to handle it'}.`,
        ),
      ]

const describeTaken = (
  end: Extract<End, { is: 'taken' }>,
  concerns: readonly Concern[],
  health: CarrierHealthSummary | undefined,
): InboundResult => {
  const { application, has_application, account, carrier, number, byCarrier, of, isByChance } = end
  const device = end.trunks.length > 0 ? 'from a device or a trunk, depending on its credentials' : 'from a device'
  const from = byCarrier ? `by carrier ${carrier?.name ?? notYours}` : of === 'teams' ? 'by MS Teams' : device
  const routing = [
    `The call comes ${from}${account ? `, for account ${account.name}` : ''}.`,
    ...(number ? [`The called number is ${number.number}.`] : []),
    ...(has_application ? [`The application is ${applicationSources[of]}.`] : []),
    ...(of === 'account'
      ? [
          'The device has to authenticate, as a SIP client or by the registration webhook. This test does not cover that.',
        ]
      : []),
    ...describeTrunks(end),
    ...(isByChance ? ['Several match and their order is undefined. The platform may choose another.'] : []),
    ...(end.isVersionDependent ? [versionNote] : []),
  ]
  if (end.trunks.length > 0)
    return { outcome: 'unknown', title: 'The credentials of the caller decide what handles the call.', lines: routing }
  if (!has_application && end.isVersionDependent)
    return {
      outcome: 'unknown',
      title: 'The call may be accepted without an application to handle it.',
      lines: routing,
    }
  if (!has_application)
    return { outcome: 'bad', title: 'The call is accepted, but no application is set to handle it.', lines: routing }
  if (application === null)
    return { outcome: 'unknown', title: 'An application of another tenant is selected.', lines: routing }
  const state = judgeCarrier(health)
  const lines = [...routing, ...concerns.map(describeConcern), ...state.sentences]
  if (state.isFailing || concerns.some(isFailure))
    return { outcome: 'bad', title: `${application.name} is selected, but the call may fail.`, lines }
  if (concerns.length > 0 || isByChance || end.isVersionDependent || of === 'account' || (byCarrier && !state.isProven))
    return { outcome: 'unknown', title: `${application.name} is selected.`, lines }
  return { outcome: 'good', title: `${application.name} answers the call.`, lines }
}

export interface InboundResult {
  /** `unknown` if nothing is known to fail, and nothing shows that the call is answered. */
  outcome: Outcome
  title: string
  lines: string[]
}

/**
 * Returns the result of the routing as a title and lines with details.
 * @param health of the carrier of the call; undefined without one, or if the server does not report it
 */
export const describeEnd = (
  { end, concerns, inactive_carriers }: Pick<InboundAnswer, 'end' | 'concerns' | 'inactive_carriers'>,
  health?: CarrierHealthSummary,
): InboundResult => {
  const inactive = inactive_carriers.map(
    ({ name }) => `Carrier ${name} has a gateway for this address, but is inactive, so it is ignored.`,
  )
  if (end.is === 'elsewhere')
    return {
      outcome: 'bad',
      title: 'The call belongs to another tenant.',
      lines: ['A carrier, number, or SIP realm of another tenant receives it. Patchbay does not show which.'],
    }
  if (end.is === 'refused')
    return end.isVersionDependent
      ? {
          outcome: 'unknown',
          title: `The call may be rejected with ${end.status}.`,
          lines: [rejectionReasons[end.why], versionNote, ...inactive],
        }
      : {
          outcome: 'bad',
          title: `The call is rejected with ${end.status}.`,
          lines: [rejectionReasons[end.why], ...inactive],
        }
  const taken = describeTaken(end, concerns, health)
  return { ...taken, lines: [...taken.lines, ...inactive] }
}

import type { InboundAnswer } from '@patchbay/contract/inbound-routing'

/** Texts that explain the routing of an inbound call. The routing itself is implemented in contract/src/routing/inbound.ts. */

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
  address: 'Gateways with exactly this address, in all tenants',
  network: 'Gateways whose network contains the address, in all tenants, most specific first',
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
  no_teams_tenant: 'No MS Teams tenant has this domain.',
  unknown_realm: 'No carrier calls from this address, and no account has this SIP realm.',
}

const applicationSources = {
  number: 'set at the number',
  carrier: 'the default application of the carrier',
  account: 'the application for SIP device calls',
  teams: 'set at the MS Teams tenant',
} as const

/** Returns the result of the routing as a title and lines with details. */
export const describeEnd = (end: End): { tone: 'good' | 'bad'; title: string; lines: string[] } => {
  if (end.is === 'elsewhere')
    return {
      tone: 'bad',
      title: 'The call belongs to another tenant.',
      lines: ['A carrier, number, or SIP realm of another tenant receives it. Patchbay does not show which.'],
    }
  if (end.is === 'refused')
    return { tone: 'bad', title: `The call is rejected with ${end.status}.`, lines: [rejectionReasons[end.why]] }
  const { application, account, carrier, number, byCarrier, of, isByChance } = end
  const from = byCarrier ? `by carrier ${carrier?.name ?? notYours}` : of === 'teams' ? 'by MS Teams' : 'from a device'
  return {
    tone: application ? 'good' : 'bad',
    title: application
      ? `${application.name} answers the call.`
      : 'The call is accepted, but no application is set to handle it.',
    lines: [
      `The call comes ${from}${account ? `, for account ${account.name}` : ''}.`,
      ...(number ? [`The called number is ${number.number}.`] : []),
      ...(application ? [`The application is ${applicationSources[of]}.`] : []),
      ...(isByChance ? ['Several match and their order is undefined. The platform may choose another.'] : []),
    ],
  }
}

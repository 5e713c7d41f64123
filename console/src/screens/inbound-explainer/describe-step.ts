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

export const notYours = 'one of another tenant'

const ownerText = (isFound: boolean, account: { name: string } | null): string =>
  isFound ? (account?.name ?? notYours) : 'nobody'

const gatewayText = (gateway: Gateway): string =>
  gateway === null
    ? notYours
    : `${gateway.ipv4}${gateway.netmask === 32 ? '' : `/${gateway.netmask}`} of ${gateway.carrier?.name ?? notYours}`

const lookupTitles = {
  realm: 'Gateways of carriers that the account may use',
  address: 'Gateways with exactly this address, of all tenants',
  network: 'Gateways whose network holds the address, of all tenants, the narrowest first',
} as const

const matchLabels = {
  matched: 'matches',
  unmatched: 'does not match',
  invalid: 'no valid expression: passed over',
} as const

export const describeStep = (step: Step): StepDescription => {
  switch (step.is) {
    case 'realm':
      return {
        title: 'SIP realm: whose name the host is',
        lines: [step.found ? ownerText(true, step.account) : 'No active account has it.'],
        isMiss: !step.found,
      }
    case 'gateways':
      return {
        title: lookupTitles[step.how],
        lines: step.gateways.length > 0 ? step.gateways.map(gatewayText) : ['None takes calls from this address.'],
        isMiss: step.gateways.length === 0,
      }
    case 'registrations':
      return {
        title: 'Carriers that register with this host under this user, and call from this address',
        lines: step.gateways.length > 0 ? step.gateways.map(gatewayText) : ['None.'],
        isMiss: step.gateways.length === 0,
      }
    case 'numbers':
      return {
        title: 'The number on these carriers',
        lines: step.rows.length > 0 ? step.rows.map((row) => row?.number ?? notYours) : ['It is not there.'],
        isMiss: step.rows.length === 0,
      }
    case 'patterns':
      return {
        title: 'Patterns on these carriers, the longest first; they match anywhere in the number',
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
        lines: [step.found ? ownerText(true, step.account) : 'It has none, or several.'],
        isMiss: !step.found,
      }
    case 'teams':
      return {
        title: 'It comes from Microsoft Teams: the MS Teams tenant with this domain',
        lines: [step.found ? 'There is one.' : 'None.'],
        isMiss: !step.found,
      }
    case 'devices':
      return {
        title: 'Of no carrier, so of a device: the account whose SIP realm it calls',
        lines: [step.found ? ownerText(true, step.account) : 'None has it, nor the domain above.'],
        isMiss: !step.found,
      }
  }
}

const rejectionReasons: Readonly<Record<Extract<End, { is: 'refused' }>['why'], string>> = {
  not_provisioned: 'Number Not Provisioned: nothing on the carrier answers this number.',
  several_numbers: 'The number is there more than once, on carriers that share the address.',
  several_registrations: 'More than one carrier registers with this host under this user.',
  several_carriers: 'More than one account has a carrier with a default application at this address.',
  inactive_account: 'The account is inactive.',
  no_teams_tenant: 'No MS Teams tenant has this domain.',
  unknown_realm: 'No carrier calls from this address, and no account has this SIP realm.',
}

const applicationSources = {
  number: 'set at the number',
  carrier: 'the default one of the carrier',
  account: 'the one for calls of devices',
  teams: 'set at the MS Teams tenant',
} as const

/** Returns the result of the routing as a title and lines with details. */
export const describeEnd = (end: End): { tone: 'good' | 'bad'; title: string; lines: string[] } => {
  if (end.is === 'elsewhere')
    return {
      tone: 'bad',
      title: 'Another tenant has this call.',
      lines: ['A carrier, a number or a SIP realm that is not yours takes it. Of whom is not told.'],
    }
  if (end.is === 'refused')
    return { tone: 'bad', title: `The call is refused with ${end.status}.`, lines: [rejectionReasons[end.why]] }
  const { application, account, carrier, number, byCarrier, of, isByChance } = end
  const from = byCarrier ? `by carrier ${carrier?.name ?? notYours}` : of === 'teams' ? 'by MS Teams' : 'from a device'
  return {
    tone: application ? 'good' : 'bad',
    title: application
      ? `${application.name} answers the call.`
      : 'The call is taken, but no application is set to answer it.',
    lines: [
      `It comes ${from}${account ? `, for account ${account.name}` : ''}.`,
      ...(number ? [`It is for ${number.number}.`] : []),
      ...(application ? [`The application is ${applicationSources[of]}.`] : []),
      ...(isByChance ? ['More than one would do, and nothing puts them in an order: it may be another.'] : []),
    ],
  }
}

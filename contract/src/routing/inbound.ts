import { isIpv4 } from '../shared/addresses.ts'

/**
 * What the platform makes of a call that comes in: which carrier it is of, which number or pattern answers, and with
 * which application, or why it is refused (api/5-runtime-routing.md, "Inbound"). Pure: it is given the rows that have to
 * do with the call, and asks for no others.
 */

export interface InboundCall {
  /** IPv4, from where the call comes */
  source: string
  /** the user of the Request-URI: what is called */
  number: string
  /** the host of the Request-URI, a name or an address */
  realm: string
}

export interface InboundAccount {
  account_sid: string
  service_provider_sid: string
  is_active: boolean
  /** answers its devices */
  device_calling_application_sid: string | null
}

/** A carrier as one of its gateways lets calls in. */
export interface InboundGateway {
  sip_gateway_sid: string
  voip_carrier_sid: string
  ipv4: string
  netmask: number
  carrier: {
    account_sid: string | null
    service_provider_sid: string | null
    application_sid: string | null
    is_active: boolean
    requires_register: boolean
    register_sip_realm: string | null
    register_username: string | null
  }
}

/** A row of phone numbers, which may be a pattern. */
export interface InboundNumber {
  phone_number_sid: string
  number: string
  voip_carrier_sid: string
  account_sid: string | null
  application_sid: string | null
}

/** The rows that have to do with a call. */
export interface InboundFacts {
  /** whose SIP realm the host is, letter by letter */
  realmAccount: InboundAccount | undefined
  /** the same, or that of the domain above: where devices are looked for */
  deviceAccount: InboundAccount | undefined
  /** gateways that let calls in, of any tenant, which hold the source address, in the order of the database */
  gateways: readonly InboundGateway[]
  /** of their carriers: the number that is called, and all patterns */
  numbers: readonly InboundNumber[]
  /** accounts by sid: those of carriers and numbers */
  accounts: ReadonlyMap<string, InboundAccount>
  /** of each provider of the carriers the account that is its only one */
  onlyAccounts: ReadonlyMap<string, InboundAccount>
  /** whom an MS Teams domain is of, where the host is one */
  teamsTenant: { account_sid: string; application_sid: string | null } | undefined
}

const bitsOf = (address: string): number => address.split('.').reduce((bits, part) => bits * 256 + Number(part), 0)

/** Whether a network, as `10.0.0.0` with 24 bits, holds an address. A gateway that is a name holds none. */
export const cidrContains = ({ ipv4, netmask }: { ipv4: string; netmask: number }, address: string): boolean => {
  if (!isIpv4(ipv4) || !isIpv4(address)) return false
  const size = 2 ** (32 - netmask)
  return Math.floor(bitsOf(ipv4) / size) === Math.floor(bitsOf(address) / size)
}

/** From where Microsoft Teams calls. */
const teamsNetworks = [
  { ipv4: '52.112.0.0', netmask: 14 },
  { ipv4: '52.120.0.0', netmask: 14 },
]

/** What is looked for in the table: one leading + goes. */
export const calledNumber = (number: string): string => number.replace(/^\+/, '')

/** A stored number with anything but digits in it is a pattern. */
export const isNumberPattern = (number: string): boolean => /\D/.test(number)

export type PatternMatch = 'matched' | 'unmatched' | 'invalid'

/** Decides whether a stored pattern matches a called number. */
export type PatternMatcher = (pattern: string, number: string) => PatternMatch

/**
 * Searches the number for the pattern; a * at the end stands for any digits. Patterns are written by tenants and may
 * backtrack without end: a server passes a matcher with a time limit to `routeInbound`.
 */
export const patternMatch: PatternMatcher = (pattern, number) => {
  try {
    // unchecked-regexp: written by a tenant; the server runs it with a time limit
    return new RegExp(pattern.replace(/\*$/, String.raw`\d*`)).test(number) ? 'matched' : 'unmatched'
  } catch {
    return 'invalid'
  }
}

export interface TriedPattern {
  row: InboundNumber
  match: PatternMatch
}

export type InboundStep =
  /** the host is a name: whose SIP realm it is, if anybody's */
  | { is: 'realm'; account: InboundAccount | undefined }
  /** the gateways that let it in: of those of the account that may use them, or of all; by chance the first of several */
  | { is: 'gateways'; how: 'realm' | 'address' | 'network'; gateways: readonly InboundGateway[] }
  /** carriers that register with this host under this user */
  | { is: 'registrations'; gateways: readonly InboundGateway[] }
  | { is: 'numbers'; rows: readonly InboundNumber[] }
  /** the longest first, up to the one that matches */
  | { is: 'patterns'; tried: readonly TriedPattern[] }
  /** no number answers: carriers of an account that have an application of their own */
  | { is: 'default_carriers'; gateways: readonly InboundGateway[] }
  | { is: 'only_account'; account: InboundAccount | undefined }
  /** it is of no carrier that is known here */
  | { is: 'teams'; found: boolean }
  | { is: 'devices'; account: InboundAccount | undefined }

export type InboundEnd =
  | {
      is: 'taken'
      /** of no carrier: a device, or Teams */
      gateway: InboundGateway | undefined
      account: InboundAccount | undefined
      /** the number or pattern that answers */
      row: InboundNumber | undefined
      application_sid: string | null
      /** whose application it is */
      of: 'number' | 'carrier' | 'account' | 'teams'
      /** several gateways would do, and nothing puts them in an order */
      isByChance: boolean
    }
  /** `account`: the one that is inactive */
  | { is: 'refused'; status: 404 | 503; why: InboundRefusal; account?: InboundAccount }

export type InboundRefusal =
  | 'not_provisioned'
  | 'several_numbers'
  | 'several_registrations'
  | 'several_carriers'
  | 'inactive_account'
  | 'no_teams_tenant'
  | 'unknown_realm'

export interface InboundRouting {
  steps: InboundStep[]
  end: InboundEnd
}

const refused = (status: 404 | 503, why: InboundRefusal) => ({ is: 'refused', status, why }) as const

/** Of each carrier one gateway. */
const byCarrier = (gateways: readonly InboundGateway[]): InboundGateway[] =>
  [...new Map(gateways.toReversed().map((gateway) => [gateway.voip_carrier_sid, gateway])).values()].toReversed()

const byLength = (one: InboundNumber, other: InboundNumber): number => other.number.length - one.number.length

/** Follows one call; what it looks at on the way is kept as steps. */
const follow = (call: InboundCall, facts: InboundFacts, matcher: PatternMatcher) => {
  const steps: InboundStep[] = []
  const number = calledNumber(call.number)
  const isName = !isIpv4(call.realm) && call.realm !== ''

  const taken = (
    gateway: InboundGateway,
    account: InboundAccount | undefined,
    row: InboundNumber | undefined,
    isByChance: boolean,
  ): InboundEnd => {
    if (account && !account.is_active) return { ...refused(503, 'inactive_account'), account }
    const { application_sid } = gateway.carrier
    return {
      is: 'taken',
      gateway,
      account,
      row,
      application_sid: row?.application_sid ?? application_sid,
      of: row?.application_sid ? 'number' : 'carrier',
      isByChance,
    }
  }
  const accountOf = (sid: string | null): InboundAccount | undefined =>
    sid === null ? undefined : facts.accounts.get(sid)

  /** The number, then patterns; undefined: nothing answers. */
  const byNumber = (
    gateways: readonly InboundGateway[],
    mayAnswer: (row: InboundNumber) => boolean,
    account: InboundAccount | undefined,
  ): InboundEnd | undefined => {
    const gatewayOf = (row: InboundNumber) =>
      gateways.find(({ voip_carrier_sid }) => voip_carrier_sid === row.voip_carrier_sid)
    const around = facts.numbers.filter((row) => gatewayOf(row) !== undefined)
    const rows = around.filter((row) => row.number === number && mayAnswer(row))
    steps.push({ is: 'numbers', rows })
    if (rows.length > 1) return refused(503, 'several_numbers')
    const end = (row: InboundNumber | undefined, isByChance: boolean) => {
      const gateway = row && gatewayOf(row)
      return gateway && taken(gateway, account ?? accountOf(row.account_sid), row, isByChance)
    }
    if (rows[0]) return end(rows[0], false)
    const patterns = around.filter((row) => isNumberPattern(row.number)).toSorted(byLength)
    if (patterns.length === 0) return undefined
    const tried: TriedPattern[] = []
    for (const row of patterns) {
      const match = matcher(row.number, number)
      tried.push({ row, match })
      if (match === 'matched') break
    }
    steps.push({ is: 'patterns', tried })
    const found = tried.find(({ match }) => match === 'matched')?.row
    const isTied = patterns.some(
      (row) => row !== found && row.number.length === found?.number.length && matcher(row.number, number) === 'matched',
    )
    return end(found, isTied)
  }

  /** By the SIP realm of an account, with its carriers and those of its provider for all. */
  const ofRealm = (account: InboundAccount): InboundEnd | undefined => {
    const gateways = facts.gateways.filter(
      ({ carrier }) =>
        carrier.is_active &&
        (carrier.account_sid === account.account_sid ||
          (carrier.account_sid === null && carrier.service_provider_sid === account.service_provider_sid)),
    )
    steps.push({ is: 'gateways', how: 'realm', gateways })
    const [first] = gateways
    if (first === undefined) return undefined
    return (
      byNumber(gateways, (row) => row.account_sid === account.account_sid, account) ??
      taken(first, account, undefined, byCarrier(gateways).length > 1)
    )
  }

  /** A carrier that registers with us: its user and host are called, and no number is looked for. */
  const ofRegistration = (): InboundEnd | undefined => {
    const gateways = byCarrier(
      facts.gateways.filter(
        ({ carrier }) =>
          carrier.is_active &&
          carrier.requires_register &&
          carrier.register_sip_realm?.toLowerCase() === call.realm.toLowerCase() &&
          carrier.register_username === call.number,
      ),
    )
    steps.push({ is: 'registrations', gateways })
    if (gateways.length > 1) return refused(503, 'several_registrations')
    const [first] = gateways
    return first && taken(first, accountOf(first.carrier.account_sid), undefined, false)
  }

  /** By the address alone, over all tenants: an address before networks, of these the narrowest first. */
  const ofAddress = (): InboundEnd | undefined => {
    const active = facts.gateways.filter(({ carrier }) => carrier.is_active)
    const exact = active.filter(({ netmask }) => netmask === 32)
    const gateways = exact.length > 0 ? exact : active.toSorted((one, other) => other.netmask - one.netmask)
    steps.push({ is: 'gateways', how: exact.length > 0 ? 'address' : 'network', gateways })
    const [first] = gateways
    if (first === undefined) return undefined
    const answered = byNumber(gateways, () => true, undefined)
    if (answered) return answered
    const own = byCarrier(gateways).filter(
      ({ carrier }) => carrier.account_sid !== null && carrier.application_sid !== null,
    )
    steps.push({ is: 'default_carriers', gateways: own })
    if (own.length > 1) return refused(503, 'several_carriers')
    if (own[0]) return taken(own[0], accountOf(own[0].carrier.account_sid), undefined, false)
    const account = facts.onlyAccounts.get(first.carrier.service_provider_sid ?? '')
    steps.push({ is: 'only_account', account })
    return account ? taken(first, account, undefined, false) : refused(404, 'not_provisioned')
  }

  const ofNoCarrier = (): InboundEnd => {
    if (teamsNetworks.some((network) => cidrContains(network, call.source))) {
      steps.push({ is: 'teams', found: facts.teamsTenant !== undefined })
      if (!facts.teamsTenant) return refused(404, 'no_teams_tenant')
      const account = accountOf(facts.teamsTenant.account_sid)
      return ofAccount(account, facts.teamsTenant.application_sid, 'teams')
    }
    const account = isName ? facts.deviceAccount : undefined
    steps.push({ is: 'devices', account })
    if (!account) return refused(404, 'unknown_realm')
    return ofAccount(account, account.device_calling_application_sid, 'account')
  }
  const ofAccount = (
    account: InboundAccount | undefined,
    application_sid: string | null,
    of: 'account' | 'teams',
  ): InboundEnd => {
    if (account && !account.is_active) return { ...refused(503, 'inactive_account'), account }
    return { is: 'taken', gateway: undefined, account, row: undefined, application_sid, of, isByChance: false }
  }

  const ofCarrier = (): InboundEnd | undefined => {
    if (!isName) return ofAddress()
    const account = facts.realmAccount?.is_active ? facts.realmAccount : undefined
    steps.push({ is: 'realm', account })
    return account ? ofRealm(account) : ofRegistration()
  }
  const end = ofCarrier() ?? ofNoCarrier()
  return { steps, end }
}

/** Returns the steps that route an inbound call, and how they end. */
export const routeInbound = (
  call: InboundCall,
  facts: InboundFacts,
  matcher: PatternMatcher = patternMatch,
): InboundRouting => follow(call, facts, matcher)

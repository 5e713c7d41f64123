import ipaddr from 'ipaddr.js'
import { calledNumber } from '@patchbay/rules/phone-number/patterns'
import { isIpv4 } from '@patchbay/contract/shared/addresses'

/**
 * Simulates the platform's routing of an inbound call: the carrier, the number or pattern, and the application, or the
 * reason for the rejection (docs/reference/platform-api/runtime-routing.md#inbound-calls). Pure: the caller passes all
 * rows that affect the call.
 */

export interface InboundCall {
  /** IPv4 source address of the call. */
  source: string
  /** User part of the Request-URI: the called number. */
  number: string
  /** Host part of the Request-URI: a domain name or an IP address. */
  realm: string
}

export interface InboundAccount {
  account_sid: string
  service_provider_sid: string
  is_active: boolean
  /** Application for calls from the account's devices. */
  device_calling_application_sid: string | null
}

/** An inbound gateway with its carrier. */
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

/** A phone number or a number pattern. */
export interface InboundNumber {
  phone_number_sid: string
  number: string
  voip_carrier_sid: string
  account_sid: string | null
  application_sid: string | null
}

/** All rows that affect the routing of a call. */
export interface InboundFacts {
  /** Account with a SIP realm that equals the host exactly. */
  realmAccount: InboundAccount | undefined
  /** Account with a SIP realm that equals the host or its parent domain. Used for calls from devices. */
  deviceAccount: InboundAccount | undefined
  /** Inbound gateways of all tenants with a network that contains the source address, in the order of the database. */
  gateways: readonly InboundGateway[]
  /** Numbers of the gateways' carriers: the called number, and all patterns. */
  numbers: readonly InboundNumber[]
  /** Accounts of the carriers and numbers, by SID. */
  accounts: ReadonlyMap<string, InboundAccount>
  /** By SID of each carrier's service provider: its only account, if it has exactly one. */
  onlyAccounts: ReadonlyMap<string, InboundAccount>
  /** MS Teams tenant with the host as its domain. */
  teamsTenant: { account_sid: string; application_sid: string | null } | undefined
}

/**
 * Returns whether a network, such as `10.0.0.0` with 24 bits, contains an address. Always false for gateways with a
 * domain name.
 */
export const cidrContains = ({ ipv4, netmask }: { ipv4: string; netmask: number }, address: string): boolean =>
  isIpv4(ipv4) && isIpv4(address) && ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parse(ipv4), netmask)

/** Source networks of Microsoft Teams. */
const teamsNetworks = [
  { ipv4: '52.112.0.0', netmask: 14 },
  { ipv4: '52.120.0.0', netmask: 14 },
]

/** Returns whether a stored number is a pattern, because it contains a non-digit character. */
export const isNumberPattern = (number: string): boolean => /\D/.test(number)

export type PatternMatch = 'matched' | 'unmatched' | 'invalid'

/** Decides whether a stored pattern matches a called number. */
export type PatternMatcher = (pattern: string, number: string) => PatternMatch

/**
 * Searches for a pattern in a number. A * at the end of the pattern matches any digits. Tenants write the patterns,
 * which can cause catastrophic backtracking: on a server, pass a matcher with a time limit to `routeInbound`.
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
  /** The host is a domain name. `account` is the account with this SIP realm. */
  | { is: 'realm'; account: InboundAccount | undefined }
  /**
   * Gateways that accept the call, either of one account or of all tenants. If several match equally, the first one is
   * undefined.
   */
  | { is: 'gateways'; how: 'realm' | 'address' | 'network'; gateways: readonly InboundGateway[] }
  /** Carriers that register with this host and user name. */
  | { is: 'registrations'; gateways: readonly InboundGateway[] }
  | { is: 'numbers'; rows: readonly InboundNumber[] }
  /** Ordered by length, longest first, up to the matching pattern. */
  | { is: 'patterns'; tried: readonly TriedPattern[] }
  /** No number matches. Lists the account carriers that have their own application. */
  | { is: 'default_carriers'; gateways: readonly InboundGateway[] }
  | { is: 'only_account'; account: InboundAccount | undefined }
  /** No known carrier matches. */
  | { is: 'teams'; found: boolean }
  | { is: 'devices'; account: InboundAccount | undefined }

export type InboundEnd =
  | {
      is: 'taken'
      /** Undefined if the call comes from a device or from Teams. */
      gateway: InboundGateway | undefined
      account: InboundAccount | undefined
      /** The matching number or pattern. */
      row: InboundNumber | undefined
      application_sid: string | null
      /** Kind of record that determines the application. */
      of: 'number' | 'carrier' | 'account' | 'teams'
      /** True if several gateways match equally, so that it is undefined which one the platform chooses. */
      isByChance: boolean
    }
  /** `account` is set if an inactive account is the reason. */
  | { is: 'refused'; status: 404 | 503; why: InboundRejectionReason; account?: InboundAccount }

export type InboundRejectionReason =
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

const refused = (status: 404 | 503, why: InboundRejectionReason) => ({ is: 'refused', status, why }) as const

/** Keeps the first gateway of each carrier. */
const uniqueByCarrier = (gateways: readonly InboundGateway[]): InboundGateway[] =>
  [...new Map(gateways.toReversed().map((gateway) => [gateway.voip_carrier_sid, gateway])).values()].toReversed()

const byLength = (one: InboundNumber, other: InboundNumber): number => other.number.length - one.number.length

/** Routes a call and records each step. */
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
  const findAccount = (sid: string | null): InboundAccount | undefined =>
    sid === null ? undefined : facts.accounts.get(sid)

  /** Looks for the number, then for a matching pattern. Returns undefined if neither exists. */
  const byNumber = (
    gateways: readonly InboundGateway[],
    isCandidate: (row: InboundNumber) => boolean,
    account: InboundAccount | undefined,
  ): InboundEnd | undefined => {
    const findGateway = (row: InboundNumber) =>
      gateways.find(({ voip_carrier_sid }) => voip_carrier_sid === row.voip_carrier_sid)
    const carrierNumbers = facts.numbers.filter((row) => findGateway(row) !== undefined)
    const rows = carrierNumbers.filter((row) => row.number === number && isCandidate(row))
    steps.push({ is: 'numbers', rows })
    if (rows.length > 1) return refused(503, 'several_numbers')
    const end = (row: InboundNumber | undefined, isByChance: boolean) => {
      const gateway = row && findGateway(row)
      return gateway && taken(gateway, account ?? findAccount(row.account_sid), row, isByChance)
    }
    if (rows[0]) return end(rows[0], false)
    const patterns = carrierNumbers.filter((row) => isNumberPattern(row.number)).toSorted(byLength)
    if (patterns.length === 0) return undefined
    const tried: TriedPattern[] = []
    for (const row of patterns) {
      const match = matcher(row.number, number)
      tried.push({ row, match })
      if (match === 'matched') break
    }
    steps.push({ is: 'patterns', tried })
    const matched = tried.find(({ match }) => match === 'matched')?.row
    const isTied = patterns.some(
      (row) =>
        row !== matched && row.number.length === matched?.number.length && matcher(row.number, number) === 'matched',
    )
    return end(matched, isTied)
  }

  /** Routes by the SIP realm of an account, with its own carriers and those that its service provider shares. */
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
      taken(first, account, undefined, uniqueByCarrier(gateways).length > 1)
    )
  }

  /** Routes by the user and host of a carrier that registers with the platform. No number lookup takes place. */
  const ofRegistration = (): InboundEnd | undefined => {
    const gateways = uniqueByCarrier(
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
    return first && taken(first, findAccount(first.carrier.account_sid), undefined, false)
  }

  /**
   * Routes by the source address alone, over all tenants. Exact addresses precede networks; narrower networks precede
   * wider ones.
   */
  const ofAddress = (): InboundEnd | undefined => {
    const active = facts.gateways.filter(({ carrier }) => carrier.is_active)
    const exact = active.filter(({ netmask }) => netmask === 32)
    const gateways = exact.length > 0 ? exact : active.toSorted((one, other) => other.netmask - one.netmask)
    steps.push({ is: 'gateways', how: exact.length > 0 ? 'address' : 'network', gateways })
    const [first] = gateways
    if (first === undefined) return undefined
    const answered = byNumber(gateways, () => true, undefined)
    if (answered) return answered
    const defaultCarriers = uniqueByCarrier(gateways).filter(
      ({ carrier }) => carrier.account_sid !== null && carrier.application_sid !== null,
    )
    steps.push({ is: 'default_carriers', gateways: defaultCarriers })
    if (defaultCarriers.length > 1) return refused(503, 'several_carriers')
    if (defaultCarriers[0])
      return taken(defaultCarriers[0], findAccount(defaultCarriers[0].carrier.account_sid), undefined, false)
    const account = facts.onlyAccounts.get(first.carrier.service_provider_sid ?? '')
    steps.push({ is: 'only_account', account })
    const equal = gateways.filter(({ netmask }) => netmask === first.netmask)
    const isByChance = uniqueByCarrier(equal).length > 1
    return account ? taken(first, account, undefined, isByChance) : refused(404, 'not_provisioned')
  }

  const ofNoCarrier = (): InboundEnd => {
    if (teamsNetworks.some((network) => cidrContains(network, call.source))) {
      steps.push({ is: 'teams', found: facts.teamsTenant !== undefined })
      if (!facts.teamsTenant) return refused(404, 'no_teams_tenant')
      const account = findAccount(facts.teamsTenant.account_sid)
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

/** Returns the routing steps of an inbound call and the outcome. */
export const routeInbound = (
  call: InboundCall,
  facts: InboundFacts,
  matcher: PatternMatcher = patternMatch,
): InboundRouting => follow(call, facts, matcher)

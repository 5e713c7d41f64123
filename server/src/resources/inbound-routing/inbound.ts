import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { calledNumber } from '@patchbay/rules/phone-number/patterns'
import {
  byAddress,
  byNetmaskAndOwner,
  cidrContains,
  isFirstByChance,
  isOfAccount,
  uniqueByCarrier,
} from './gateway-order.ts'
import type {
  InboundAccount,
  InboundCall,
  InboundEnd,
  InboundFacts,
  InboundGateway,
  InboundNumber,
  InboundRejectionReason,
  InboundRouting,
  InboundStep,
  PatternMatcher,
  TriedPattern,
} from './inbound-model.ts'
import { isNumberPattern, patternMatch } from './number-patterns.ts'

/**
 * Simulates the platform's routing of an inbound call: the carrier, the number or pattern, and the application, or the
 * reason for the rejection (docs/reference/platform-api/runtime-routing.md#inbound-calls). Pure: the caller passes all
 * rows that affect the call.
 */

/** Source networks of Microsoft Teams. */
const teamsNetworks = [
  { ipv4: '52.112.0.0', netmask: 14 },
  { ipv4: '52.120.0.0', netmask: 14 },
]

const refused = (status: 404 | 500 | 503, why: InboundRejectionReason) => ({ is: 'refused', status, why }) as const

const byLength = (one: InboundNumber, other: InboundNumber): number => other.number.length - one.number.length

/** The number or pattern that matches, and whether another pattern of the same length does, too. */
interface NumberMatch {
  row: InboundNumber
  gateway: InboundGateway
  isPattern: boolean
  isByChance: boolean
}

interface ApplicationChoice {
  application_sid: string | null
  of: 'number' | 'carrier'
}

type Choice = () => ApplicationChoice | undefined

/** Returns the first application that exists. */
const choose = (...choices: readonly Choice[]): ApplicationChoice => {
  for (const choice of choices) {
    const chosen = choice()
    if (chosen !== undefined && chosen.application_sid !== null) return chosen
  }
  return { application_sid: null, of: 'carrier' }
}

const ofNumber =
  (row: InboundNumber | undefined): Choice =>
  () =>
    row && { application_sid: row.application_sid, of: 'number' }

const ofCarrier =
  ({ carrier: { application_sid } }: InboundGateway): Choice =>
  () => ({ application_sid, of: 'carrier' })

/** Routes a call and records each step. */
const follow = (call: InboundCall, facts: InboundFacts, matcher: PatternMatcher): InboundRouting => {
  const number = calledNumber(call.number)
  const isName = !isIpv4(call.realm) && call.realm !== ''
  const inbound = facts.gateways.filter(({ is_inbound, carrier }) => is_inbound && carrier.is_active)

  const findAccount = (sid: string | null): InboundAccount | undefined =>
    sid === null ? undefined : facts.accounts.get(sid)

  const findPatterns = (isCarrier: (sid: string) => boolean): InboundNumber[] =>
    facts.numbers.filter((row) => isCarrier(row.voip_carrier_sid) && isNumberPattern(row.number)).toSorted(byLength)

  const matches = (row: InboundNumber): boolean => matcher(row.number, number) === 'matched'

  /** Looks for the number on a carrier alone, whatever account it belongs to, as the SBC does without an application. */
  const lookUpOnCarrier =
    (sid: string): Choice =>
    () =>
      ofNumber(
        facts.numbers.find((row) => row.voip_carrier_sid === sid && row.number === number) ??
          findPatterns((one) => one === sid).find(matches),
      )()

  /** @param holder the account whose state decides, if that is not the one that is charged */
  const accept = (
    gateway: InboundGateway,
    account: InboundAccount | undefined,
    { row, isByChance, ...choice }: ApplicationChoice & { row: InboundNumber | undefined; isByChance: boolean },
    holder = account,
  ): InboundEnd => {
    if (account === undefined || holder === undefined) return refused(500, 'no_account')
    if (!holder.is_active) return { ...refused(503, 'inactive_account'), account: holder }
    return { is: 'taken', gateway, account, row, ...choice, isByChance }
  }

  /** Looks for the number, then for a matching pattern. Returns undefined if neither exists. */
  const findNumber = (
    steps: InboundStep[],
    gateways: readonly InboundGateway[],
    isCandidate: (row: InboundNumber) => boolean,
  ): NumberMatch | 'several' | undefined => {
    const findGateway = (sid: string) => gateways.find(({ voip_carrier_sid }) => voip_carrier_sid === sid)
    const toMatch = (row: InboundNumber | undefined, isPattern: boolean, isByChance: boolean) => {
      const gateway = row && findGateway(row.voip_carrier_sid)
      return row && gateway && { row, gateway, isPattern, isByChance }
    }
    const rows = facts.numbers.filter(
      (row) => row.number === number && isCandidate(row) && findGateway(row.voip_carrier_sid) !== undefined,
    )
    steps.push({ is: 'numbers', rows })
    if (rows.length > 1) return 'several'
    if (rows[0]) return toMatch(rows[0], false, false)
    const patterns = findPatterns((sid) => findGateway(sid) !== undefined)
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
      (row) => row !== matched && row.number.length === matched?.number.length && matches(row),
    )
    return toMatch(matched, true, isTied)
  }

  /** Routes by the SIP realm of an account, with its own carriers and those that its service provider shares. */
  const ofRealm = (steps: InboundStep[], account: InboundAccount): InboundEnd | undefined => {
    const isUsable = ({ carrier }: InboundGateway) =>
      carrier.account_sid === account.account_sid ||
      (carrier.account_sid === null && carrier.service_provider_sid === account.service_provider_sid)
    const gateways = inbound.filter(isUsable).toSorted(byNetmaskAndOwner)
    steps.push({ is: 'gateways', how: 'realm', gateways })
    const [first] = gateways
    if (first === undefined) return undefined
    const found = findNumber(steps, gateways, (row) => row.account_sid === account.account_sid)
    if (found === 'several') return refused(503, 'several_numbers')
    const gateway = found?.gateway ?? first
    const onCarrier = lookUpOnCarrier(gateway.voip_carrier_sid)
    if (found?.isPattern !== true) {
      const isByChance = found === undefined && isFirstByChance(gateways, byNetmaskAndOwner)
      const choice = choose(ofNumber(found?.row), ofCarrier(gateway), onCarrier)
      return accept(gateway, account, { ...choice, row: found?.row, isByChance })
    }
    // The SBC charges the account of a pattern on a shared carrier, and checks the state of the account of the realm.
    const charged = isOfAccount(gateway) ? account : findAccount(found.row.account_sid)
    const choice = choose(ofNumber(found.row), onCarrier, ofCarrier(gateway))
    return accept(gateway, charged, { ...choice, row: found.row, isByChance: found.isByChance }, account)
  }

  /**
   * Routes by the user and host of a carrier that registers with the platform. A carrier of a provider alone is no carrier,
   * and ends the search: `none`.
   */
  const ofRegistration = (steps: InboundStep[]): InboundEnd | 'none' | undefined => {
    const gateways = facts.gateways.filter(
      ({ carrier }) =>
        carrier.is_active &&
        carrier.requires_register &&
        carrier.register_sip_realm?.toLowerCase() === call.realm.toLowerCase() &&
        carrier.register_username === call.number,
    )
    steps.push({ is: 'registrations', gateways })
    if (gateways.length > 1) return refused(503, 'several_registrations')
    const [first] = gateways
    if (first === undefined) return undefined
    const { account_sid } = first.carrier
    if (account_sid === null) return 'none'
    const rows = facts.numbers.filter(
      (row) =>
        row.voip_carrier_sid === first.voip_carrier_sid && row.number === number && row.account_sid === account_sid,
    )
    steps.push({ is: 'numbers', rows })
    const choice = choose(ofNumber(rows[0]), ofCarrier(first), lookUpOnCarrier(first.voip_carrier_sid))
    return accept(first, findAccount(account_sid), { ...choice, row: rows[0], isByChance: false })
  }

  /** Routes by gateways that contain the source address, over all tenants. The number decides between them. */
  const ofGateways = (steps: InboundStep[], gateways: readonly InboundGateway[]): InboundEnd | undefined => {
    steps.push({ is: 'gateways', how: 'network', gateways })
    const [first] = gateways
    if (first === undefined) return undefined
    const found = findNumber(steps, gateways, () => true)
    if (found === 'several') return refused(503, 'several_numbers')
    if (found !== undefined) {
      const { row, gateway, isByChance } = found
      const choice = choose(ofNumber(row), ofCarrier(gateway))
      return accept(gateway, findAccount(row.account_sid), { ...choice, row, isByChance })
    }
    const defaultCarriers = uniqueByCarrier(gateways).filter(
      (one) => isOfAccount(one) && one.carrier.application_sid !== null,
    )
    steps.push({ is: 'default_carriers', gateways: defaultCarriers })
    if (defaultCarriers.length > 1) return refused(503, 'several_carriers')
    const [one] = defaultCarriers
    const base = { row: undefined, isByChance: false }
    if (one) return accept(one, findAccount(one.carrier.account_sid), { ...base, ...choose(ofCarrier(one)) })
    const account = facts.onlyAccounts.get(first.carrier.service_provider_sid ?? '')
    steps.push({ is: 'only_account', account })
    const isByChance = isFirstByChance(gateways, byAddress)
    return account
      ? accept(first, account, { ...base, ...choose(ofCarrier(first)), isByChance })
      : refused(404, 'not_provisioned')
  }

  /**
   * Routes by the source address alone, by carriers that name their provider. Versions of the SBC differ: some look at networks only if no gateway has exactly
   * this address.
   */
  const ofAddress = (steps: InboundStep[]): InboundEnd | undefined => {
    const gateways = inbound.filter(({ carrier }) => carrier.service_provider_sid !== null).toSorted(byAddress)
    const end = ofGateways(steps, gateways)
    const exact = gateways.filter(({ netmask }) => netmask === 32)
    if (end === undefined || exact.length === 0 || exact.length === gateways.length) return end
    const other = ofGateways([], exact)
    return other !== undefined && isSameEnd(end, other) ? end : { ...end, isVersionDependent: true }
  }

  const ofNoCarrier = (steps: InboundStep[]): InboundEnd => {
    if (teamsNetworks.some((network) => cidrContains(network, call.source))) {
      steps.push({ is: 'teams', found: facts.teamsTenant !== undefined })
      if (!facts.teamsTenant) return refused(404, 'no_teams_tenant')
      const account = findAccount(facts.teamsTenant.account_sid)
      return ofAccount(account, facts.teamsTenant.application_sid, 'teams')
    }
    const account = isName ? facts.deviceAccount : undefined
    steps.push({ is: 'devices', account })
    if (!account) return refused(404, 'unknown_realm')
    const end = ofAccount(account, account.device_calling_application_sid, 'account')
    if (end.is !== 'taken' || facts.authTrunks.length === 0) return end
    const trunks = facts.authTrunks.map((trunk) => ({
      ...trunk,
      application_sid: lookUpOnCarrier(trunk.voip_carrier_sid)()?.application_sid ?? trunk.application_sid,
    }))
    return { ...end, trunks }
  }

  const ofCarriers = (steps: InboundStep[]): InboundEnd | 'none' | undefined => {
    if (!isName) return ofAddress(steps)
    const account = facts.realmAccount?.is_active ? facts.realmAccount : undefined
    steps.push({ is: 'realm', account })
    return account ? ofRealm(steps, account) : (ofRegistration(steps) ?? ofAddress(steps))
  }
  const steps: InboundStep[] = []
  const end = ofCarriers(steps)
  return { steps, end: end === undefined || end === 'none' ? ofNoCarrier(steps) : end }
}

const ofAccount = (
  account: InboundAccount | undefined,
  application_sid: string | null,
  of: 'account' | 'teams',
): InboundEnd => {
  if (account && !account.is_active) return { ...refused(503, 'inactive_account'), account }
  return { is: 'taken', gateway: undefined, account, row: undefined, application_sid, of, isByChance: false }
}

const isSameEnd = (one: InboundEnd, other: InboundEnd): boolean =>
  one.is === 'taken' && other.is === 'taken'
    ? one.gateway?.voip_carrier_sid === other.gateway?.voip_carrier_sid &&
      one.account?.account_sid === other.account?.account_sid &&
      one.application_sid === other.application_sid
    : one.is === 'refused' && other.is === 'refused' && one.why === other.why && one.account === other.account

/** Returns the routing steps of an inbound call and the outcome. */
export const routeInbound = (
  call: InboundCall,
  facts: InboundFacts,
  matcher: PatternMatcher = patternMatch,
): InboundRouting => follow(call, facts, matcher)

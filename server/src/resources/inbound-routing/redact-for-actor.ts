import { type Actor, can } from '@patchbay/contract/api/access'
import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import type {
  InboundAccount,
  InboundEnd,
  InboundGateway,
  InboundNumber,
  InboundRouting,
  InboundStep,
} from './inbound-model.ts'
import type { Facts } from './load-routing-data.ts'

interface NamedRecord {
  sid: string
  name: string
}

/** Redacts the routing of an inbound call: of resources of other tenants, the actor sees only that they exist. */

const createVisibility = (actor: Actor, facts: Facts) => {
  const gateways = new Map(facts.gateways.map((gateway) => [gateway.sip_gateway_sid, gateway]))
  const numbers = new Map(facts.numbers.map((row) => [row.phone_number_sid, row]))
  const seesAccount = ({ account_sid, service_provider_sid }: InboundAccount) =>
    can(actor, 'read', { account_sid, service_provider_sid })
  /** Accounts can also see the carriers that their provider shares with all accounts. */
  const seesGateway = ({ sip_gateway_sid }: InboundGateway): boolean => {
    const carrier = gateways.get(sip_gateway_sid)?.carrier
    if (carrier === undefined) return false
    const { account_sid } = carrier
    const service_provider_sid = carrier.provider_of_account ?? carrier.service_provider_sid
    const isShared = account_sid === null && service_provider_sid !== null
    return (
      can(actor, 'read', { account_sid, service_provider_sid }) ||
      (isShared && service_provider_sid === actor.service_provider_sid)
    )
  }
  /** A number without an account belongs to the provider that it names, or else to that of its carrier. */
  const seesNumber = ({ phone_number_sid, account_sid, voip_carrier_sid }: InboundNumber): boolean => {
    const account = account_sid === null ? undefined : facts.accounts.get(account_sid)
    const carrier = facts.gateways.find((gateway) => gateway.voip_carrier_sid === voip_carrier_sid)?.carrier
    const service_provider_sid =
      account?.service_provider_sid ??
      numbers.get(phone_number_sid)?.service_provider_sid ??
      carrier?.provider_of_account ??
      carrier?.service_provider_sid ??
      null
    return can(actor, 'read', { account_sid, service_provider_sid })
  }
  const account = (candidate: InboundAccount | undefined) => {
    const knownAccount = candidate && facts.accounts.get(candidate.account_sid)
    return knownAccount && seesAccount(knownAccount) ? { sid: knownAccount.account_sid, name: knownAccount.name } : null
  }
  const carrier = (candidate: InboundGateway | undefined) => {
    const knownGateway = candidate && gateways.get(candidate.sip_gateway_sid)
    return knownGateway && seesGateway(knownGateway)
      ? { sid: knownGateway.voip_carrier_sid, name: knownGateway.carrier.name }
      : null
  }
  const gateway = (candidate: InboundGateway) => {
    const { sip_gateway_sid, ipv4, netmask } = candidate
    return seesGateway(candidate) ? { sip_gateway_sid, ipv4, netmask, carrier: carrier(candidate) } : null
  }
  const number = (candidate: InboundNumber | undefined) =>
    candidate && seesNumber(candidate)
      ? { phone_number_sid: candidate.phone_number_sid, number: candidate.number }
      : null
  return { seesAccount, seesGateway, seesNumber, account, carrier, gateway, number }
}
type Visibility = ReturnType<typeof createVisibility>

const redactStep = (step: InboundStep, visibility: Visibility): InboundAnswer['steps'][number] => {
  switch (step.is) {
    case 'realm':
    case 'only_account':
    case 'devices':
      return { is: step.is, found: step.account !== undefined, account: visibility.account(step.account) }
    case 'gateways':
      return { ...step, gateways: step.gateways.map(visibility.gateway) }
    case 'registrations':
    case 'default_carriers':
      return { is: step.is, gateways: step.gateways.map(visibility.gateway) }
    case 'numbers':
      return { is: step.is, rows: step.rows.map(visibility.number) }
    case 'patterns':
      return {
        is: step.is,
        tried: step.tried
          .filter(({ row }) => visibility.seesNumber(row))
          .map(({ row, match }) => ({ row: visibility.number(row), match })),
      }
    case 'teams':
      return step
  }
}

/** Returns for each resource of a step whether the actor can see it. */
const listVisibility = (step: InboundStep, { seesAccount, seesGateway, seesNumber }: Visibility): boolean[] => {
  switch (step.is) {
    case 'realm':
    case 'only_account':
    case 'devices':
      return step.account ? [seesAccount(step.account)] : []
    case 'gateways':
    case 'registrations':
    case 'default_carriers':
      return step.gateways.map(seesGateway)
    case 'numbers':
      return step.rows.map(seesNumber)
    case 'patterns':
      return step.tried.filter(({ match }) => match === 'matched').map(({ row }) => seesNumber(row))
    case 'teams':
      return []
  }
}

/** Returns whether resources of other tenants decide the routing. */
const isDecidedElsewhere = ({ steps, end }: InboundRouting, visibility: Visibility): boolean => {
  const { seesAccount, seesGateway, seesNumber } = visibility
  if (end.is === 'taken') {
    const { gateway, account, row } = end
    return (
      (gateway !== undefined && !seesGateway(gateway)) ||
      (account !== undefined && !seesAccount(account)) ||
      (row !== undefined && !seesNumber(row))
    )
  }
  if (end.account !== undefined) return !seesAccount(end.account)
  const all = steps.flatMap((step) => listVisibility(step, visibility))
  return all.length > 0 && !all.some(Boolean)
}

const redactEnd = (end: InboundEnd, visibility: Visibility, application: NamedRecord | null): InboundAnswer['end'] => {
  const versioned = end.isVersionDependent ? { isVersionDependent: end.isVersionDependent } : {}
  if (end.is === 'refused') return { is: 'refused', status: end.status, why: end.why, ...versioned }
  const { gateway, account, row, of, isByChance, trunks = [] } = end
  return {
    is: 'taken',
    byCarrier: gateway !== undefined,
    carrier: visibility.carrier(gateway),
    account: visibility.account(account),
    number: visibility.number(row),
    application,
    has_application: end.application_sid !== null,
    of,
    isByChance,
    ...versioned,
    // An actor that sees the account sees its carriers, and those of its provider for all accounts.
    trunks: trunks.map(({ voip_carrier_sid, name, application_sid }) => ({
      sid: voip_carrier_sid,
      name,
      has_application: application_sid !== null,
    })),
  }
}

/** Returns the inactive carriers that the actor may see, each once. */
const listInactiveCarriers = ({ gateways }: Facts, visibility: Visibility): NamedRecord[] => {
  const carriers = gateways
    .filter(({ carrier, is_inbound }) => is_inbound && !carrier.is_active)
    .map(visibility.carrier)
  return [...new Map(carriers.flatMap((carrier) => (carrier ? [[carrier.sid, carrier] as const] : []))).values()]
}

/** Redacts a routing. `application` is the application at its end, if the actor may see it. */
export const redactForActor = (
  actor: Actor,
  facts: Facts,
  routing: InboundRouting,
  application: NamedRecord | null,
  concerns: InboundAnswer['concerns'],
): InboundAnswer => {
  const visibility = createVisibility(actor, facts)
  if (isDecidedElsewhere(routing, visibility))
    return { steps: [], end: { is: 'elsewhere' }, concerns: [], inactive_carriers: [] }
  return {
    steps: routing.steps.map((step) => redactStep(step, visibility)),
    end: redactEnd(routing.end, visibility, application),
    concerns,
    inactive_carriers: listInactiveCarriers(facts, visibility),
  }
}

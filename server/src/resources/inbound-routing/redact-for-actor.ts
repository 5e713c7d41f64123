import { type Actor, can } from '@patchbay/contract/access'
import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import type {
  InboundAccount,
  InboundEnd,
  InboundGateway,
  InboundNumber,
  InboundRouting,
  InboundStep,
} from '@patchbay/contract/routing/inbound'
import type { Facts } from './load-routing-data.ts'

/** What of the way of a call is shown to whom: of what others own nothing but that there is something. */

const createSight = (actor: Actor, facts: Facts) => {
  const gateways = new Map(facts.gateways.map((gateway) => [gateway.sip_gateway_sid, gateway]))
  const numbers = new Map(facts.numbers.map((row) => [row.phone_number_sid, row]))
  const seesAccount = ({ account_sid, service_provider_sid }: InboundAccount) =>
    can(actor, 'read', { account_sid, service_provider_sid })
  /** An account sees its provider's for all accounts, too. */
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
  /** One without an account is of the provider that it names, or else of that of its carrier. */
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
  const account = (shown: InboundAccount | undefined) => {
    const named = shown && facts.accounts.get(shown.account_sid)
    return named && seesAccount(named) ? { sid: named.account_sid, name: named.name } : null
  }
  const carrier = (shown: InboundGateway | undefined) => {
    const named = shown && gateways.get(shown.sip_gateway_sid)
    return named && seesGateway(named) ? { sid: named.voip_carrier_sid, name: named.carrier.name } : null
  }
  const gateway = (shown: InboundGateway) => {
    const { sip_gateway_sid, ipv4, netmask } = shown
    return seesGateway(shown) ? { sip_gateway_sid, ipv4, netmask, carrier: carrier(shown) } : null
  }
  const number = (shown: InboundNumber | undefined) =>
    shown && seesNumber(shown) ? { phone_number_sid: shown.phone_number_sid, number: shown.number } : null
  return { seesAccount, seesGateway, seesNumber, account, carrier, gateway, number }
}
type Sight = ReturnType<typeof createSight>

const shownStep = (step: InboundStep, sight: Sight): InboundAnswer['steps'][number] => {
  switch (step.is) {
    case 'realm':
    case 'only_account':
    case 'devices':
      return { is: step.is, found: step.account !== undefined, account: sight.account(step.account) }
    case 'gateways':
      return { ...step, gateways: step.gateways.map(sight.gateway) }
    case 'registrations':
    case 'default_carriers':
      return { is: step.is, gateways: step.gateways.map(sight.gateway) }
    case 'numbers':
      return { is: step.is, rows: step.rows.map(sight.number) }
    case 'patterns':
      return {
        is: step.is,
        tried: step.tried
          .filter(({ row }) => sight.seesNumber(row))
          .map(({ row, match }) => ({ row: sight.number(row), match })),
      }
    case 'teams':
      return step
  }
}

/** Whether each thing that a step is about is the caller's own. */
const owned = (step: InboundStep, { seesAccount, seesGateway, seesNumber }: Sight): boolean[] => {
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

/** Whether others decide it, with what is theirs. */
const isElsewhere = ({ steps, end }: InboundRouting, sight: Sight): boolean => {
  const { seesAccount, seesGateway, seesNumber } = sight
  if (end.is === 'taken') {
    const { gateway, account, row } = end
    return (
      (gateway !== undefined && !seesGateway(gateway)) ||
      (account !== undefined && !seesAccount(account)) ||
      (row !== undefined && !seesNumber(row))
    )
  }
  if (end.account !== undefined) return !seesAccount(end.account)
  const all = steps.flatMap((step) => owned(step, sight))
  return all.length > 0 && !all.some(Boolean)
}

const shownEnd = (
  end: InboundEnd,
  sight: Sight,
  application: { sid: string; name: string } | null,
): InboundAnswer['end'] => {
  if (end.is === 'refused') return { is: 'refused', status: end.status, why: end.why }
  const { gateway, account, row, of, isByChance } = end
  return {
    is: 'taken',
    byCarrier: gateway !== undefined,
    carrier: sight.carrier(gateway),
    account: sight.account(account),
    number: sight.number(row),
    application,
    of,
    isByChance,
  }
}

/** `application`: that of the end */
export const redactForActor = (
  actor: Actor,
  facts: Facts,
  routing: InboundRouting,
  application: { sid: string; name: string } | null,
): InboundAnswer => {
  const sight = createSight(actor, facts)
  if (isElsewhere(routing, sight)) return { steps: [], end: { is: 'elsewhere' } }
  return {
    steps: routing.steps.map((step) => shownStep(step, sight)),
    end: shownEnd(routing.end, sight, application),
  }
}

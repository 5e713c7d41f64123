import { z } from '../../../zod.ts'
import { type CarrierValues, carrierValues, emptyCarrier } from '../form/carrier-form.ts'
import { newSipGateway, type SipGatewayValues } from '../form/gateways.ts'
import type { TrunkKind } from './trunk-kinds.ts'

/** The values and the rules of each kind of trunk. */

/** The port stays empty, so that an IP address gets 5060 and a domain name the port of its SRV records. */
const newGateway: SipGatewayValues = { ...newSipGateway, port: '', outbound: true }

/** Returns the gateway that a list of this kind starts with, and that is added to it. */
export const emptyGateway = (kind: TrunkKind): SipGatewayValues =>
  // A domain name, as registrations have it, can only receive calls.
  kind === 'registration' ? { ...newGateway, inbound: false } : newGateway

/** Returns the values of an empty form. */
export const emptyTrunk = (kind: TrunkKind, account_sid: string): CarrierValues => ({
  ...emptyCarrier,
  account_sid,
  requires_register: kind === 'registration',
  sip_gateways: [emptyGateway(kind)],
})

/** Returns the values for another kind of trunk: what both kinds ask for stays. */
export const carryOver = (typed: CarrierValues, kind: TrunkKind): CarrierValues => {
  const hasCredentials = kind !== 'ip'
  return {
    ...typed,
    requires_register: kind === 'registration',
    register_sip_realm: kind === 'registration' ? typed.register_sip_realm : '',
    register_username: hasCredentials ? typed.register_username : '',
    register_password: hasCredentials ? typed.register_password : '',
  }
}

const requireCredentials = z.check<CarrierValues>(({ value, issues }) => {
  // The form itself reports a user name without a password, and the opposite.
  if (value.register_username || value.register_password) return
  const required = [
    ['register_username', 'Enter the user name that the carrier gave you'],
    ['register_password', 'Enter the password that the carrier gave you'],
  ] as const
  for (const [field, message] of required) issues.push({ code: 'custom', input: '', path: [field], message })
})

/** The rules of the carrier form. An authenticated trunk also needs credentials. */
export const trunkSchemas: Readonly<Record<TrunkKind, z.ZodMiniType<CarrierValues, CarrierValues>>> = {
  ip: carrierValues,
  auth: carrierValues.check(requireCredentials),
  registration: carrierValues,
}
